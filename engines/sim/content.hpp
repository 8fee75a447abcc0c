// What stands on the simulated disk, and the ways in which it comes to stand there wrongly.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "dice.hpp"
#include "extent_map.hpp"
#include "script.hpp"
#include "state_file.hpp"

namespace sim {

// One target's content. Any thread; what overlaps and is in flight at the same time may end either way round.
class Content {
 public:
  // `folder` as for StateFile.
  Content(const char* folder, const std::string& target, std::uint64_t size, const Script& script);

  // Does the first `length` bytes of an operation. `number`: the operation's, where it was chosen for the scripted
  // fault, else 0.
  Failure apply(const dp_io& io, std::uint32_t length, std::uint64_t number) noexcept;

 private:
  Failure read(std::uint64_t offset, std::byte* data, std::uint32_t length, bool is_stale);
  Failure write(std::uint64_t offset, const std::byte* data, std::uint32_t length);
  Failure write_wrongly(std::uint64_t offset, const std::byte* data, std::uint32_t length, std::uint64_t number);
  Failure flip_bit(std::uint64_t offset, const std::byte* data, std::uint32_t length, std::uint64_t number);
  Failure write_elsewhere(std::uint64_t offset, const std::byte* data, std::uint32_t length);
  Failure zero(std::uint64_t offset, std::uint64_t length);
  Failure flush();
  Failure keep_before(std::uint64_t offset, std::uint64_t length);

  const std::uint64_t size_;
  const Fault fault_;
  const Dice dice_;
  StateFile now_;
  std::optional<StateFile> before_;  // each byte as it was before it was last written; only kept for stale reads
  std::mutex mutex_;                 // of all content, where there is more than now_
  ExtentMap cached_;                 // written, and gone with the process: the disk's volatile cache
};

}  // namespace sim
