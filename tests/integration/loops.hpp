// Loop devices and mounts of a bench.
#pragma once

#include <string>
#include <vector>

#include "integration/bench.hpp"

namespace diskproof::testing {

// Says why and answers true where this machine or user cannot attach loop devices.
bool skipped_without_loops();

// Mounts and loop devices of the bench's files or of `image`, and mounts and groups of the I/O controller with the
// run's ID in their name: other programs have theirs.
std::vector<std::string> left_in_system(const Bench& bench, const std::string& run_id, const std::string& image = {});

}  // namespace diskproof::testing
