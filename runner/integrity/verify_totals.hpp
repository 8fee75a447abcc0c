// What checking stamped data found: totals in bytes, and the first faults with their places.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace diskproof {

// What can be wrong with a block that was acknowledged as written. The order is that of the metrics.
enum class FaultClass : std::uint8_t {
  missing,     // nothing of ours is there
  stale,       // an older generation than the acknowledged one
  torn,        // parts of one write hold it, others what was there before
  misplaced,   // a sound block of another place
  corrupt,     // ours, with a bad checksum
  lost,        // missing or stale although a flush completed after the acknowledgement
  unreadable,  // the read failed
};
inline constexpr std::size_t kFaultClasses = 7;
inline constexpr std::array<std::string_view, kFaultClasses> kFaultNames{"missing", "stale", "torn",      "misplaced",
                                                                         "corrupt", "lost",  "unreadable"};

// Adjacent blocks with the same fault are one.
struct VerifyFault {
  FaultClass kind = FaultClass::missing;
  std::string target;  // of the phase: absolute path, or the virtual disk's name
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t expected = 0;  // generation that was acknowledged
  std::uint64_t found = 0;     // generation that is there; 0: none that can be told
  std::string text;            // what is there, one line for people: whose data, or why the read failed
};

// expected = bytes + the sum of `faults`, when everything was read.
struct VerifyTotals {
  static constexpr std::size_t kMostFaults = 100;

  std::uint64_t bytes = 0;       // read back and as they must be
  std::uint64_t expected = 0;    // distinct bytes acknowledged as written; of a writing phase: what was to be read back
  std::uint64_t operations = 0;  // reads that were done for it
  std::array<std::uint64_t, kFaultClasses> faulty{};  // bytes, by FaultClass
  std::vector<VerifyFault> faults;                    // at most kMostFaults, by target and offset
  std::uint64_t busy = 0;  // ns of CPU time that the workers spent on making and checking stamps
  std::uint64_t wall = 0;  // ns, the workers' times from go to their ends added up

  [[nodiscard]] std::uint64_t of(FaultClass kind) const noexcept { return faulty[static_cast<std::size_t>(kind)]; }
  // Making and checking stamps, not the disk, set the speed.
  [[nodiscard]] bool cpu_limited() const noexcept { return wall > 0 && busy >= wall / 2; }
};

}  // namespace diskproof
