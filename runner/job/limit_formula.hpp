// `read.iops: {base: 100, per_gb: 30, max: 30000}`: base + per_gb x the disk's size in GB (10^9 bytes), at most max; as
// providers publish limits. The number takes the formula's place before limits are read.
#pragma once

#include <string>

#include "job/node.hpp"
#include "job/value_reader.hpp"

namespace diskproof {

// In the map `limits` of a disk or phase, and in its groups. `disk` is the disk's map, for its size; nullptr: unknown.
void resolve_limit_formulas(Node& limits, const Node* disk, const std::string& path, ParseContext& context);

}  // namespace diskproof
