// A new folder that nobody else has.
#pragma once

#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>

namespace diskproof {

// Below the system's folder for temporary files; the caller removes it.
inline std::filesystem::path make_fresh_folder() {
  std::random_device random;
  for (int attempt = 0; attempt < 100; ++attempt) {
    const auto path = std::filesystem::temp_directory_path() / ("diskproof-test-" + std::to_string(random()));
    if (std::filesystem::create_directory(path)) return path;
  }
  throw std::runtime_error("cannot create a folder for a test");
}

}  // namespace diskproof
