// Making stamps and reading them.
#include "integrity/block_stamp.hpp"

#include <bit>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace diskproof {

static_assert(std::endian::native == std::endian::little, "stamps are written as they lie in memory");

namespace {

constexpr std::size_t kWords = kStampSector / sizeof(std::uint64_t);
constexpr std::size_t kSummed = offsetof(StampHeader, checksum);  // bytes of the header

std::uint64_t mixed(std::uint64_t z) noexcept {  // splitmix64
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Hides the generation in the sector's first word.
std::uint64_t mask_of(const StampKey& key, std::uint32_t file, std::uint64_t offset) noexcept {
  return mixed(mixed(key.seed + 0x9e3779b97f4a7c15u * (std::uint64_t{file} + 1)) ^ mixed(key.run) ^
               (offset / kStampSector * 0xd1342543de82ef95u));
}

std::uint64_t checksum_of(const std::byte* data, std::uint32_t granule) noexcept {
  const std::uint64_t head = XXH3_64bits(data, kSummed);
  return XXH3_64bits_withSeed(data + sizeof(StampHeader), granule - sizeof(StampHeader), head);
}

}  // namespace

std::uint64_t stamp_run(std::string_view run_id, std::string_view disk) noexcept {
  return XXH3_64bits_withSeed(disk.data(), disk.size(), XXH3_64bits(run_id.data(), run_id.size()));
}

void make_sector(std::byte* sector, const StampKey& key, std::uint32_t file, std::uint64_t offset,
                 std::uint64_t generation) noexcept {
  const std::uint64_t mask = mask_of(key, file, offset);
  const std::uint64_t first = generation ^ mask;
  std::memcpy(sector, &first, sizeof first);
  std::uint64_t state = mixed(mask + generation * 0xa0761d6478bd642fu);
  for (std::size_t word = 1; word < kWords; ++word) {
    state += 0x9e3779b97f4a7c15u;
    const std::uint64_t value = (state ^ (state >> 32)) * 0xd6e8feb86659fd93u;
    std::memcpy(sector + word * sizeof value, &value, sizeof value);
  }
}

std::uint64_t claimed_generation(const std::byte* sector, const StampKey& key, std::uint32_t file,
                                 std::uint64_t offset) noexcept {
  std::uint64_t first;
  std::memcpy(&first, sector, sizeof first);
  return first ^ mask_of(key, file, offset);
}

void stamp_write(std::byte* data, std::uint64_t length, const StampKey& key, std::uint32_t file, std::uint64_t offset,
                 std::uint64_t generation) noexcept {
  for (std::uint64_t at = 0; at < length; at += kStampSector) {
    make_sector(data + at, key, file, offset + at, generation);
  }
  for (std::uint64_t at = 0; at < length; at += key.granule) {
    StampHeader header{StampHeader::kMagic,
                       StampHeader::kVersion,
                       file,
                       offset + at,
                       generation,
                       key.run,
                       key.seed,
                       key.granule,
                       0,
                       0};
    std::memcpy(data + at, &header, kSummed);
    header.checksum = checksum_of(data + at, key.granule);
    std::memcpy(data + at + kSummed, &header.checksum, sizeof header.checksum);
  }
}

std::optional<StampHeader> read_header(const std::byte* data) noexcept {
  StampHeader header;
  std::memcpy(&header, data, sizeof header);
  if (header.magic != StampHeader::kMagic || header.version != StampHeader::kVersion) return std::nullopt;
  return header;
}

bool checksum_holds(const std::byte* data, const StampHeader& header) noexcept {
  return header.granule >= kStampSector && checksum_of(data, header.granule) == header.checksum;
}

}  // namespace diskproof
