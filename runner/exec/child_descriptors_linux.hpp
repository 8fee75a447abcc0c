// The descriptors that a child finds its pipes at; parent and child must agree.
#pragma once

namespace diskproof {

inline constexpr int kChildReads = 3;
inline constexpr int kChildWrites = 4;

}  // namespace diskproof
