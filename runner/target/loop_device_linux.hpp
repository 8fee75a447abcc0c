// Loop devices over image files. Each carries a tag of the run that attached it, by which its undo finds it, and no
// other is touched.
#pragma once

#include <cstdint>
#include <string>

#include "target/files.hpp"

namespace diskproof {

struct LoopDevice {
  std::string path;     // "/dev/loop3"
  bool direct = false;  // past the page cache of the image
};

// At most 63 bytes, the same for the same run and disk.
std::string loop_tag(const std::string& run_id, const std::string& disk);

// Attaches the first `size` bytes of the image to a free loop device, with direct I/O where its file system can. Throws
// Error{unavailable} where there are none or the right is missing, else Error{failed}.
LoopDevice attach_loop(const std::string& image, std::uint64_t size, const std::string& tag);

// Detaches every loop device of that tag; false when there was none. `image` is the path of its image, which tells one
// whose file system fails, so that its tag cannot be read. Throws Error{failed} while one stays in use. May hang with
// the file system of the image: see run_apart.
bool detach_loops(const std::string& tag, const std::string& image);

}  // namespace diskproof
