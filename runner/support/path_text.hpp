// Paths as text: UTF-8 everywhere inside the program, whatever the system's own encoding of file names is. A path and a
// std::string are never converted into each other in another way.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace diskproof {

inline std::filesystem::path path_from(std::string_view text) { return std::u8string(text.begin(), text.end()); }

inline std::string text_of(const std::filesystem::path& path) {
  const std::u8string text = path.u8string();
  return {text.begin(), text.end()};
}

// `name` in `folder`, with the system's separator.
inline std::string path_in(std::string_view folder, std::string_view name) {
  return text_of(path_from(folder) / path_from(name));
}

// "." for a name alone.
inline std::string folder_of(std::string_view path) {
  const std::string folder = text_of(path_from(path).parent_path());
  return folder.empty() ? "." : folder;
}

}  // namespace diskproof
