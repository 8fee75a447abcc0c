// What a phase will ask of an engine, to be tried before the run: its options and, on a virtual disk, a queue on it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace diskproof {

struct EngineTrial {
  std::map<std::string, std::string> options{};  // canonical
  std::string target{};                          // the virtual disk's name; empty: no queue is opened
  std::uint64_t size = 0;                        // bytes of that disk
  std::uint32_t depth = 1;
  std::uint64_t max_length = 0;  // longest I/O, bytes

  auto operator<=>(const EngineTrial&) const = default;
};

}  // namespace diskproof
