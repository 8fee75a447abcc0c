// The facts of a device as JSON, for `diskproof devices --json` and the result. What is not known is left out.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "target/device_facts.hpp"

namespace diskproof {

nlohmann::ordered_json device_json(const DeviceFacts& device);

}  // namespace diskproof
