// What a manifest says of itself, without its extents.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace diskproof {

struct ManifestFacts {
  struct File {
    std::string path;  // relative to the disk's; "": the disk is this file
    std::uint64_t size = 0;
    std::uint64_t flushed_below = 0;  // writes of smaller generations were flushed
  };

  std::string run_id, disk, phase;  // of the writer
  std::uint64_t expected = 0;       // bytes that were acknowledged as written
  std::uint64_t granule = 0;        // bytes of each stamped block
  std::uint64_t largest_write = 0;  // bytes
  std::vector<File> files;
  std::uint64_t run = 0, seed = 0;    // of the stamps
  std::uint64_t last_generation = 0;  // that began
  std::uint64_t extents = 0;
};

}  // namespace diskproof
