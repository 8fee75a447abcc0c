// Names of phases in `requires`, in thresholds and on the command line.
#include "job/phase_names.hpp"

#include <fmt/format.h>

#include "support/near_name.hpp"

namespace diskproof {

namespace {

// It, or a cell of its matrix.
bool is_of(std::string_view whole, std::string_view name) {
  return whole.starts_with(name) && (whole.size() == name.size() || whole[name.size()] == '/');
}

template <class Wanted>
std::vector<std::size_t> phases_where(const Job& job, Wanted wanted) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < job.phases.size(); ++i) {
    if (wanted(job.phases[i])) found.push_back(i);
  }
  return found;
}

}  // namespace

std::vector<std::size_t> phases_named(const Job& job, std::string_view name) {
  if (name.empty()) return {};
  auto found = phases_where(job, [name](const Phase& phase) { return phase.name == name; });
  if (found.empty()) found = phases_where(job, [name](const Phase& phase) { return phase.group == name; });
  if (!found.empty()) return found;
  return phases_where(job, [name](const Phase& phase) {
    return is_of(phase.name, name) || (!phase.group.empty() && is_of(phase.group, name));
  });
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
