// Checks a file with a program that is not ours: xmllint and python3-jsonschema.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "support/temp_folder.hpp"

namespace diskproof::testing {

struct ExternalCheck {
  bool available = false;  // false: the program is not installed, nothing was checked
  bool valid = false;
  std::string output;
};

ExternalCheck check_xml(const std::filesystem::path& file, const std::filesystem::path& schema);

// One for each file, by one run of the program: starting it is what takes time.
std::vector<ExternalCheck> check_json(const std::vector<std::filesystem::path>& files,
                                      const std::filesystem::path& schema);

// A file in a temporary folder of its own, removed at the end.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& content) : path_(folder_.write(name, content)) {}
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  TempFolder folder_;
  std::filesystem::path path_;
};

}  // namespace diskproof::testing
