// Where the installed parts are. Everything is found from the executable, so that a prefix can be moved; the build tree
// has the same shape.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "support/clock.hpp"

namespace diskproof {

struct Places {
  std::filesystem::path executable;            // absolute
  std::filesystem::path share;                 // <prefix>/share/diskproof: jobs/, schemas/
  std::vector<std::filesystem::path> engines;  // standard engine folders
  ClockSample clock;                           // of this process's start, for its children
};

Places find_places();

// <prefix>/share/diskproof/jobs/presets, and the names of the job files in it, sorted.
std::filesystem::path preset_folder(const Places& places);
std::vector<std::string> preset_names(const Places& places);

// The file of JOB: itself when it has a slash or ends in .yaml, else the preset of that name. Throws Error{bad_job}
// that lists the presets when there is none.
std::string find_job_file(const std::string& job, const Places& places);

// The file of a preset, which is never outside of their folder. Throws Error{bad_job} like find_job_file.
std::string find_preset(const std::string& name, const Places& places);

}  // namespace diskproof
