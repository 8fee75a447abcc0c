// What `size: 100%` is on this machine: of a file, what it has; of a directory, what its file system has left; of a
// device, all of it, or what a new file system leaves of it.
#pragma once

#include <cstdint>

#include "plan/plan.hpp"
#include "target/guard.hpp"

namespace diskproof {

// Bytes of each file of the disk, in whole pages; kind, paths, files and consents of the plan are looked at. A file
// must be there, and ours or free to be overwritten. The files of a directory share what is available and what they
// hold already, but for the reserve (none where `fill` is set) and a little that others may write meanwhile.
std::uint64_t whole_size(const DiskPlan& disk, const FilesystemView& filesystem);

}  // namespace diskproof
