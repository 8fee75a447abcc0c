// A number and what it counts: "1 thread", "2 threads".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace diskproof {

inline std::string counted(std::uint64_t number, std::string_view noun) {
  return std::to_string(number) + " " + std::string(noun) + (number == 1 ? "" : "s");
}

}  // namespace diskproof
