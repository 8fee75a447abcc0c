// The judgement of one block that was read back: pure, from its bytes and from what the map expects there.
//
// Rules, first to last:
//  - Sound and of this place, with an acceptable generation: ok. Acceptable are the acknowledged one and those of
//  writes
//    that overlapped it in time (either order is right); in doubt (a write was in flight when the writer ended, or
//    failed) also every later one, and then each sector of 512 B by itself.
//  - Sound and of this place, another generation: stale. (One of another run in this place too.)
//  - Sound, of another place: misplaced.
//  - Else sector by sector, since no write is cut inside of one. A sector is sound, or damaged (a part of it is what it
//    should be), or something else. Any damaged one: corrupt. Sound ones of several generations, or sound ones beside
//    something else, which may have been there before: torn. Our header over nothing sound: corrupt. Nothing of ours:
//    missing.
//  - missing and stale are lost where a flush completed after the acknowledgement.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "integrity/block_stamp.hpp"
#include "integrity/verify_totals.hpp"

namespace diskproof {

struct BlockExpectation {
  std::uint64_t newest = 0;    // acknowledged generation; > 0
  std::uint64_t oldest = 0;    // acceptable from here: smaller than newest where writes overlapped in time
  std::uint64_t in_doubt = 0;  // > 0: acceptable up to here, and sectors may differ
  bool flushed = false;        // a flush completed after the acknowledgement

  bool operator==(const BlockExpectation&) const = default;
};

struct BlockFinding {
  std::optional<FaultClass> fault;     // nothing: ok
  std::uint64_t found = 0;             // generation that is there; 0: none that can be told
  std::optional<StampHeader> whose{};  // of the data that is there, where a header tells
};

// One per thread: it has memory to compare with.
class BlockCheck {
 public:
  explicit BlockCheck(const StampKey& key);

  // The granule at `data`, read from `offset` of `file`.
  BlockFinding check(const std::byte* data, std::uint32_t file, std::uint64_t offset,
                     const BlockExpectation& expected) noexcept;

 private:
  struct Sectors;

  [[nodiscard]] bool of_this_place(const StampHeader& header, std::uint32_t file, std::uint64_t offset) const noexcept;
  [[nodiscard]] Sectors look_at_sectors(const std::byte* data, std::uint32_t file, std::uint64_t offset,
                                        std::uint64_t acknowledged) noexcept;
  // Makes the sector `at` of the granule as it is with `generation`, and answers it.
  const std::byte* make(std::uint32_t file, std::uint64_t offset, std::uint64_t at, std::uint64_t generation) noexcept;

  const StampKey key_;
  const std::unique_ptr<std::byte[]> made_;  // a granule
};

// One line for people: what is there instead of generation `expected`.
std::string describe(const BlockFinding& finding, const StampKey& key, const BlockExpectation& expected);

}  // namespace diskproof
