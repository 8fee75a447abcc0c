// Who has which regular file (file_use.hpp), with roots that tests may set to a tree of their own.
#pragma once

#include <vector>

#include "target/device_roots_linux.hpp"
#include "target/file_use.hpp"

namespace diskproof {

std::vector<FileUse> read_file_uses(const DeviceRoots& roots);

}  // namespace diskproof
