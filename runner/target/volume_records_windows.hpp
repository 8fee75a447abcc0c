// What this machine says of its volumes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "target/windows_records.hpp"

namespace diskproof {

// Of local disks: with and without letters. Takes no right.
std::vector<WindowsVolume> read_volumes();

// Where the machine starts from, Windows is, and its page files are.
void read_system_places(WindowsRecords& records);

}  // namespace diskproof
