// What a block of a `verify: write` phase looks like, byte for byte: a header that says what it is, and a body that
// follows from where and when it was written. The block is the disk's granule: 512 B times a whole number; a write of
// several granules carries a stamp in each, all with the generation of the write.
//
// The body is derived sector by sector (512 B) from run, seed, file, the sector's offset and the generation, which
// stands in each sector's first word, masked. So each sector tells by itself which write it came from, and a block
// whose sectors come from several writes is known to be torn. Any number of threads may use these functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace diskproof {

inline constexpr std::uint32_t kStampSector = 512;

// What all stamps of one disk in one run share.
struct StampKey {
  std::uint64_t run = 0;  // see stamp_run
  std::uint64_t seed = 0;
  std::uint32_t granule = kStampSector;  // bytes, a multiple of 512
};

// Little-endian at the beginning of each granule; `checksum` is the XXH3 (64 bit) of all that is behind the header,
// seeded with that of the header before it.
struct StampHeader {
  static constexpr std::uint64_t kMagic = 0x504d415453505244;  // "DRPSTAMP"
  static constexpr std::uint32_t kVersion = 1;

  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t file;    // of the disk, counted from 0
  std::uint64_t offset;  // in the file
  std::uint64_t generation;
  std::uint64_t run;
  std::uint64_t seed;
  std::uint32_t granule;
  std::uint32_t reserved;  // 0
  std::uint64_t checksum;
};
static_assert(sizeof(StampHeader) == 64);

// The number of a disk in a run.
std::uint64_t stamp_run(std::string_view run_id, std::string_view disk) noexcept;

// Fills `length` bytes (whole granules) of a write at `offset` (a multiple of the granule).
void stamp_write(std::byte* data, std::uint64_t length, const StampKey& key, std::uint32_t file, std::uint64_t offset,
                 std::uint64_t generation) noexcept;

// The header, whatever follows it; nothing where no magic is.
std::optional<StampHeader> read_header(const std::byte* data) noexcept;
// Whether the block of `header.granule` bytes at `data` has the checksum that its header gives. The caller has so much.
bool checksum_holds(const std::byte* data, const StampHeader& header) noexcept;

// The generation that the sector at `offset` claims, and what that sector's 512 bytes are with it (of the first sector
// of a granule those behind the header).
std::uint64_t claimed_generation(const std::byte* sector, const StampKey& key, std::uint32_t file,
                                 std::uint64_t offset) noexcept;
void make_sector(std::byte* sector, const StampKey& key, std::uint32_t file, std::uint64_t offset,
                 std::uint64_t generation) noexcept;

}  // namespace diskproof
