// A folder that reports are put into.
#pragma once

#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>

#include "support/atomic_file.hpp"
#include "support/error.hpp"
#include "support/temp_folder.hpp"

namespace diskproof::testing {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() : path_(make_fresh_folder()) {}
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] fs::path operator/(const char* name) const { return path_ / name; }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

inline std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

inline std::string error_of(const fs::path& target) {
  try {
    AtomicFile file(target);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::failed);
    return error.what();
  }
  return "";
}

struct RefusedPlace {
  const char* name;
  fs::path target;
  const char* reason;  // a part of it
};

// Each is refused before anything is written, by its path and with its reason.
inline void check_refused(std::initializer_list<RefusedPlace> places) {
  for (const RefusedPlace& place : places) {
    CAPTURE(std::string(place.name));
    const std::string error = error_of(place.target);
    CAPTURE(error);
    CHECK(error.starts_with("cannot write " + place.target.string() + ": "));
    CHECK(error.find(place.reason) != std::string::npos);
  }
}

}  // namespace diskproof::testing
