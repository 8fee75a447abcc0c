// The folder that files are tried in while an engine is verified. It is locked as long as it is used, so that one whose
// process was killed is told from one in use.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "target/files.hpp"

namespace diskproof {

// A folder of our own, gone at the end. In `parent`, else the system's temporary folder; abandoned ones that are there
// are removed first.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& parent);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] std::string path() const;

 private:
  std::filesystem::path path_;
  OpenFile lock_;
};

// Those of this user in the folder whose process is gone.
std::vector<std::string> find_abandoned_scratch(const std::filesystem::path& parent);

// Where they are by default.
std::filesystem::path scratch_parent();

// Removes it with all that is in it; why not, or empty.
std::string remove_scratch(const std::string& path);

}  // namespace diskproof
