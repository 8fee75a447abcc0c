// The layout marker `<file>.diskproof`: says that a file is ours, and which of its bytes were written. It names the
// file's device, inode, size and the time of our last write, so that a marker copied or left behind, or beside a file
// that somebody else has written to since, vouches for nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "target/files.hpp"

namespace diskproof {

struct Marker {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t modified = 0;                                    // ns since 1970; 0 while a run writes to the file
  std::uint64_t size = 0;                                        // bytes of the file
  std::uint64_t seed = 0;                                        // of the layout's data
  std::uint64_t generation = 0;                                  // counts layouts of this file
  std::vector<std::pair<std::uint64_t, std::uint64_t>> written;  // [from, to) in bytes, ascending, disjoint

  // Are all of the first `bytes` written?
  [[nodiscard]] bool covers(std::uint64_t bytes) const;
  // Is it about the file of that device and inode?
  [[nodiscard]] bool names(const FileIdentity& identity) const;
};

std::string marker_path(const std::string& file);

std::string marker_to_text(const Marker& marker);
// Strict; throws Error{refused} that names `path` on whatever marker_to_text does not write.
Marker marker_from_text(std::string_view text, const std::string& path);

// The marker beside the file, whatever it is about. Anything else in its place throws Error{refused}.
std::optional<Marker> load_marker(const std::string& file);

}  // namespace diskproof
