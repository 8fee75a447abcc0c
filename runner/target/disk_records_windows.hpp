// What this machine says of one disk.
#pragma once

#include <optional>

#include "support/system_windows.hpp"
#include "target/windows_records.hpp"

namespace diskproof {

// Takes no right. Nothing where there is no disk with this number.
std::optional<WindowsDisk> read_disk(std::uint32_t number);

// Only where the driver says so by itself.
bool is_write_protected(HANDLE device);

}  // namespace diskproof
