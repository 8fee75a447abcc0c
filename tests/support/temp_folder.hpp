// A fresh folder that is removed with everything in it at the end of a test.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "support/fresh_folder.hpp"

namespace diskproof {

class TempFolder {
 public:
  TempFolder() : path_(make_fresh_folder()) {}
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  [[nodiscard]] std::string path() const { return path_.string(); }
  [[nodiscard]] std::string path(const std::string& name) const { return (path_ / name).make_preferred().string(); }

  // Writes a file below the folder and answers its path.
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path(name);
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] bool has(const std::string& name) const { return std::filesystem::exists(path_ / name); }

 private:
  std::filesystem::path path_;
};

// A state root without the folder of any run; Windows keeps the root's lock in it.
inline bool has_no_run(const std::string& state_root) {
  for (const auto& entry : std::filesystem::directory_iterator(state_root)) {
    if (entry.path().filename() != "folder.lock") return false;
  }
  return true;
}

}  // namespace diskproof
