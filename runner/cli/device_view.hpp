// Devices and what a job may do with them, for people and for programs.
#pragma once

#include <string>

#include "target/device_facts.hpp"

namespace diskproof {

// Devices that have no size are counted at the end.
std::string devices_text(const DeviceTable& table);

std::string devices_json(const DeviceTable& table);

}  // namespace diskproof
