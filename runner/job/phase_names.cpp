// Names of phases in `requires`, in thresholds and on the command line.
#include "job/phase_names.hpp"

#include <fmt/format.h>

#include "support/near_name.hpp"

namespace diskproof {

bool is_named(std::string_view phase, std::string_view name) {
  if (!phase.starts_with(name)) return false;
  return phase.size() == name.size() || phase[name.size()] == '/';
}

std::vector<std::size_t> phases_named(const Job& job, std::string_view name) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < job.phases.size(); ++i) {
    const Phase& phase = job.phases[i];
    const bool of_group = !phase.group.empty() && is_named(phase.group, name);
    if (!name.empty() && (of_group || is_named(phase.name, name))) found.push_back(i);
  }
  return found;
}

std::string phase_name_hint(const Job& job, const std::string& name) {
  constexpr std::size_t kListed = 12;
  std::vector<std::string> names;
  for (const Phase& phase : job.phases) names.push_back(phase.name);
  if (const std::string near = nearest_name(name, names); !near.empty()) return fmt::format("did you mean {}?", near);
  std::string list;
  for (std::size_t i = 0; i < names.size() && i < kListed; ++i) list += (i == 0 ? "" : ", ") + names[i];
  return "phases of this job: " + list + (names.size() > kListed ? ", …" : "");
}

}  // namespace diskproof
