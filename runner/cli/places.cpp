// Installed layout: bin/diskproof, lib/diskproof/engines, share/diskproof/{jobs,schemas}.
#include "cli/places.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/catalog.hpp"
#include "engine/trusted_path.hpp"
#include "support/error.hpp"
#include "support/near_name.hpp"
#include "support/path_text.hpp"

namespace diskproof {
namespace fs = std::filesystem;

Places find_places() {
  const fs::path executable = executable_path();
  return {.executable = executable,
          .share = executable.parent_path().parent_path() / "share" / "diskproof",
          .engines = Catalog::standard_folders(executable),
          .clock = sample_clocks()};
}

fs::path preset_folder(const Places& places) { return places.share / "jobs" / "presets"; }

std::vector<std::string> preset_names(const Places& places) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator file(preset_folder(places), error), end; !error && file != end; file.increment(error)) {
    if (file->path().extension() == ".yaml") names.push_back(text_of(file->path().stem()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

namespace {

std::string find_preset(const std::string& name, const Places& places, const std::string& hint) {
  const fs::path folder = preset_folder(places);
  const std::vector<std::string> names = preset_names(places);
  if (std::find(names.begin(), names.end(), name) != names.end()) return text_of(folder / path_from(name + ".yaml"));
  const std::string closest = nearest_name(name, names);
  const std::string known =
      names.empty() ? "there are none in " + text_of(folder) : fmt::format("there are {}", fmt::join(names, ", "));
  throw Error(ErrorKind::bad_job, fmt::format("there is no preset '{}'{}; {}{}", name,
                                              closest.empty() ? "" : ", did you mean " + closest + "?", known, hint));
}

}  // namespace

std::string find_preset(const std::string& name, const Places& places) { return find_preset(name, places, ""); }

std::string find_job_file(const std::string& job, const Places& places) {
  const bool is_path = job.find_first_of("/\\") != std::string::npos || job.ends_with(".yaml") || job.ends_with(".yml");
  if (is_path) return job;
  return find_preset(job, places, fmt::format(". A job file is given with a slash or ends in .yaml: ./{}.yaml", job));
}

}  // namespace diskproof
