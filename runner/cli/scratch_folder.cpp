// Made, locked, removed; and the search for what a killed process left.
#include "cli/scratch_folder.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "cli/machine.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"

namespace diskproof {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "diskproof-verify-";

fs::path create_in(const fs::path& base) {
  const fs::path path = base / fmt::format("{}{:016x}", kPrefix, random_number());
  std::error_code failure;
  fs::create_directory(path, failure);
  if (failure)
    throw Error(ErrorKind::unavailable, fmt::format("cannot create a folder for files to try in {}: {}; give another "
                                                    "one by --scratch DIR",
                                                    text_of(base), failure.message()));
  fs::permissions(path, fs::perms::owner_all, failure);
  return path;
}

}  // namespace

ScratchFolder::ScratchFolder(const std::string& parent) {
  constexpr int kAttempts = 3;
  const fs::path base = parent.empty() ? scratch_parent() : fs::absolute(path_from(parent));
  for (const std::string& abandoned : find_abandoned_scratch(base)) remove_scratch(abandoned);
  for (int attempt = 1; path_.empty(); ++attempt) {
    const fs::path fresh = create_in(base);
    try {
      lock_ = open_folder(text_of(fresh));
      if (lock_.try_lock()) path_ = fresh;
    } catch (const Error&) {
      if (attempt == kAttempts) throw;
    }
    // Else another one, looking for what is abandoned, was here before it was locked.
  }
}

ScratchFolder::~ScratchFolder() {
  lock_ = OpenFile();
  remove_scratch(path());
}

std::string ScratchFolder::path() const { return text_of(path_); }

fs::path scratch_parent() { return fs::temp_directory_path(); }

std::vector<std::string> find_abandoned_scratch(const fs::path& parent) {
  std::vector<std::string> found;
  std::error_code failure;
  for (fs::directory_iterator entry(parent, failure), end; !failure && entry != end; entry.increment(failure)) {
    const std::string path = text_of(entry->path());
    if (!text_of(entry->path().filename()).starts_with(kPrefix)) continue;
    try {
      const FileStatus status = look_at(path);
      if (status.type == FileType::directory && status.owned && open_folder(path).try_lock()) found.push_back(path);
    } catch (const Error&) {
      // It is gone by now, or another user's.
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string remove_scratch(const std::string& path) {
  std::error_code failure;
  fs::remove_all(path_from(path), failure);
  return failure ? failure.message() : "";
}

}  // namespace diskproof
