// What only Windows can hold against writing to a device; decided from facts, like all of the guard.
#pragma once

#include <string>
#include <vector>

#include "target/device_use.hpp"

namespace diskproof {

// `what` says which device it is: "\\.\E:, a partition of \\.\PhysicalDrive1,".
void add_windows_uses(std::vector<Refusal>& out, const std::string& what, const DeviceFacts& device);

// What to do about volumes that are mounted.
std::string unmount_advice(const DeviceFacts& device, bool of_windows);

}  // namespace diskproof
