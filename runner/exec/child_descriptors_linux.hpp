// The descriptors that a child finds its pipes at; parent and child must agree.
#pragma once

namespace diskproof {

inline constexpr int kChildReads = 3;
inline constexpr int kChildWrites = 4;
inline constexpr int kChildInherits = 5;  // and up, in the order that they were given in

}  // namespace diskproof
