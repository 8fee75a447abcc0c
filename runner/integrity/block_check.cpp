// Judging blocks: the header and the checksum decide where all is well, the sectors where it is not.
#include "integrity/block_check.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace diskproof {

namespace {

bool acceptable(std::uint64_t generation, const BlockExpectation& expected) noexcept {
  return generation >= expected.oldest && generation <= std::max(expected.newest, expected.in_doubt);
}

FaultClass lost_if_flushed(FaultClass fault, const BlockExpectation& expected) noexcept {
  return expected.flushed ? FaultClass::lost : fault;
}

// Whether something of the one sector is left in the other: words of 64 bits are not alike by chance. What is before
// `begin` tells nothing, since it follows from what is compared.
bool shares_words(const std::byte* left, const std::byte* right, std::size_t begin) noexcept {
  for (std::size_t at = begin; at < kStampSector; at += sizeof(std::uint64_t)) {
    if (std::memcmp(left + at, right + at, sizeof(std::uint64_t)) == 0) return true;
  }
  return false;
}

}  // namespace

struct BlockCheck::Sectors {
  std::uint32_t sound = 0, damaged = 0, other = 0;
  std::uint64_t oldest = ~std::uint64_t{0}, newest = 0;  // generations of the sound ones
};

BlockCheck::BlockCheck(const StampKey& key) : key_(key), made_(new std::byte[key.granule]) {}

bool BlockCheck::of_this_place(const StampHeader& header, std::uint32_t file, std::uint64_t offset) const noexcept {
  return header.file == file && header.offset == offset;
}

// Of the first sector the checksum tells of the whole granule.
const std::byte* BlockCheck::make(std::uint32_t file, std::uint64_t offset, std::uint64_t at,
                                  std::uint64_t generation) noexcept {
  std::byte* const made = made_.get() + at;
  if (at == 0) stamp_write(made, key_.granule, key_, file, offset, generation);
  if (at > 0) make_sector(made, key_, file, offset + at, generation);
  return made;
}

BlockCheck::Sectors BlockCheck::look_at_sectors(const std::byte* data, std::uint32_t file, std::uint64_t offset,
                                                std::uint64_t acknowledged) noexcept {
  Sectors sectors;
  const auto header = read_header(data);
  const auto claim = [&](std::uint64_t at) {
    if (at == 0) return header ? header->generation : 0;
    return claimed_generation(data + at, key_, file, offset + at);
  };
  const auto sound = [&](std::uint64_t at) {
    const std::uint64_t claimed = claim(at);
    return claimed != 0 && std::memcmp(make(file, offset, at, claimed), data + at, kStampSector) == 0;
  };
  for (std::uint64_t at = 0; at < key_.granule; at += kStampSector) {
    if (!sound(at)) continue;
    ++sectors.sound;
    sectors.oldest = std::min(sectors.oldest, claim(at));
    sectors.newest = std::max(sectors.newest, claim(at));
  }
  // Of the others: is one of the generations that it may be of still to be seen in it?
  const bool our_header = header && header->run == key_.run && of_this_place(*header, file, offset);
  for (std::uint64_t at = 0; at < key_.granule; at += kStampSector) {
    if (sound(at)) continue;
    const std::uint64_t candidates[] = {acknowledged, claim(at), sectors.oldest, sectors.newest,
                                        header ? header->generation : 0};
    const std::size_t told = at == 0 ? sizeof(StampHeader) : sizeof(std::uint64_t);
    const bool damaged = (at == 0 && our_header) || std::ranges::any_of(candidates, [&](std::uint64_t generation) {
                           return generation != 0 && shares_words(make(file, offset, at, generation), data + at, told);
                         });
    damaged ? ++sectors.damaged : ++sectors.other;
  }
  return sectors;
}

BlockFinding BlockCheck::check(const std::byte* data, std::uint32_t file, std::uint64_t offset,
                               const BlockExpectation& expected) noexcept {
  const auto header = read_header(data);
  const bool same_kind = header && header->granule == key_.granule;
  if (same_kind && checksum_holds(data, *header)) {
    const bool same_run = header->run == key_.run && header->seed == key_.seed;
    if (!of_this_place(*header, file, offset)) return {FaultClass::misplaced, header->generation, header};
    if (same_run && acceptable(header->generation, expected)) return {{}, header->generation, header};
    return {lost_if_flushed(FaultClass::stale, expected), header->generation, header};
  }
  const Sectors sectors = look_at_sectors(data, file, offset, expected.newest);
  const std::uint64_t found = sectors.sound > 0 ? sectors.oldest : same_kind ? header->generation : 0;
  if (sectors.damaged > 0) return {FaultClass::corrupt, found, header};
  if (sectors.sound > 0) {
    const bool mixed = expected.in_doubt > 0 && sectors.other == 0 && acceptable(sectors.oldest, expected) &&
                       acceptable(sectors.newest, expected);
    if (mixed) return {{}, sectors.newest, header};
    return {FaultClass::torn, found, header};
  }
  if (same_kind) return {FaultClass::corrupt, found, header};
  return {lost_if_flushed(FaultClass::missing, expected), 0, header};
}

std::string describe(const BlockFinding& finding, const StampKey& key, const BlockExpectation& expected) {
  const auto& whose = finding.whose;
  const std::string wanted =
      fmt::format("generation {} was acknowledged{}", expected.newest, expected.flushed ? " and flushed" : "");
  switch (finding.fault.value_or(FaultClass::missing)) {
    case FaultClass::misplaced:
      return fmt::format("holds file {} offset {} generation {}{}; {}", whose->file, whose->offset, whose->generation,
                         whose->run == key.run ? "" : fmt::format(" of another run ({:016x})", whose->run), wanted);
    case FaultClass::corrupt:
      return whose ? fmt::format("holds generation {} with a bad checksum; {}", whose->generation, wanted)
                   : fmt::format("holds a damaged header; {}", wanted);
    case FaultClass::torn:
      return finding.found != 0 && finding.found != expected.newest
                 ? fmt::format("holds parts of generation {} and of another; {}", finding.found, wanted)
                 : fmt::format("holds only a part of the write; {}", wanted);
    default:
      if (finding.found == 0) return fmt::format("holds nothing of ours; {}", wanted);
      if (whose && whose->run != key.run)
        return fmt::format("holds data of another run ({:016x}); {}", whose->run, wanted);
      return fmt::format("holds generation {}; {}", finding.found, wanted);
  }
}

}  // namespace diskproof
