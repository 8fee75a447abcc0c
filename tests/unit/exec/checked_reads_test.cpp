// What a check reads, and how it goes on.
#include "exec/checked_reads.hpp"

#include <doctest/doctest.h>
#include <set>
#include <utility>
#include <vector>

#include "integrity/fault_list.hpp"
#include "integrity/written_map.hpp"
#include "support/temp_folder.hpp"

using namespace diskproof;

namespace {

constexpr std::uint32_t kBlock = 512;
constexpr std::uint64_t kBlocks = 64;
using Places = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // first granule, granules

ManifestExtent extent(std::uint64_t first, std::uint32_t count, std::uint64_t generation = 1) {
  return {first, generation, generation, count, 0, 0};
}

Places ranges(const std::vector<ManifestExtent>& extents, std::uint64_t most) {
  Places found;
  ReadRanges reads(extents, kBlock, most * kBlock);
  while (const auto read = reads.next()) found.emplace_back(read->offset / kBlock, read->length / kBlock);
  return found;
}

// A disk in memory, what was written to it, and the manifest of that.
struct Bed {
  TempFolder folder;
  std::vector<std::byte> disk = std::vector<std::byte>(kBlocks * kBlock);
  WrittenMap map{folder.path("map"), {5, 6, kBlock}, std::vector<std::uint64_t>{kBlocks * kBlock}};
  MapWriter writer{map, 0, 2};
  std::optional<Manifest> manifest{};

  std::byte* at(std::uint64_t block) { return disk.data() + block * kBlock; }
  std::uint64_t write(std::uint64_t block, std::uint64_t count) {
    const auto generation = writer.begin_write(0, block * kBlock, count * kBlock);
    stamp_write(at(block), count * kBlock, map.key(), 0, block * kBlock, generation);
    writer.acknowledge(0);
    return generation;
  }
  void flush() { writer.flush_done(writer.flush_started()); }

  CheckedReads& reads(std::uint64_t most, std::uint32_t rank = 0, std::uint32_t sharers = 1) {
    ManifestFacts facts;
    facts.files.resize(1);
    const std::string path = folder.path("m" + std::to_string(checks_.size()));  // the one before is still open
    write_manifest(path, map, facts);
    manifest.emplace(path, path + ".copy");
    checks_.push_back(
        std::make_unique<CheckedReads>(*manifest, CheckSetup{"disk", 0, 1, most * kBlock, rank, sharers}));
    return *checks_.back();
  }

  // Does what a worker would; reads that touch block `bad` fail, and the disk ends in front of byte `size`.
  void run(CheckedReads& check, std::uint64_t bad = ~std::uint64_t{0}, std::uint64_t size = kBlocks * kBlock) {
    std::vector<std::byte> buffer(kBlocks * kBlock, std::byte{0x5a});
    LaneIntegrity& lane = check;
    for (std::uint64_t budget = check.reads(); budget > 0; --budget) {
      Operation operation;
      if (const Operation* extra = lane.extra()) {
        operation = *extra;
      } else {
        lane.source()->fill({&operation, 1});
      }
      read_.emplace_back(operation.offset / kBlock, operation.length / kBlock);
      lane.starts({operation.offset, buffer.data(), operation.length, 0, 0, 0, operation.op, 0, 0});
      const auto [first, count] = read_.back();
      const bool unreadable = bad >= first && bad < first + count;
      const std::uint64_t there = size - std::min(size, operation.offset);
      if (!unreadable) {
        std::copy_n(disk.data() + operation.offset, std::min<std::uint64_t>(operation.length, there), buffer.data());
      }
      if (unreadable || there < operation.length) {
        dp_done failed{};
        failed.result = unreadable ? -DP_EIO : 0;
        lane.failed(failed);
        budget += lane.take_added();
      } else {
        lane.succeeded(0);
      }
    }
  }
  [[nodiscard]] const Places& read() const { return read_; }

 private:
  std::vector<std::unique_ptr<CheckedReads>> checks_;
  Places read_;
};

void check_only(const VerifyTotals& totals, FaultClass kind, std::uint64_t offset, std::uint64_t length) {
  for (std::size_t i = 0; i < kFaultClasses; ++i) {
    CAPTURE(std::string(kFaultNames[i]));
    CHECK(totals.faulty[i] == (i == static_cast<std::size_t>(kind) ? length : 0));
  }
  REQUIRE(totals.faults.size() == 1);
  CHECK(totals.faults[0].kind == kind);
  CHECK(totals.faults[0].target == "disk");
  CHECK(totals.faults[0].offset == offset);
  CHECK(totals.faults[0].length == length);
  CHECK_FALSE(totals.faults[0].text.empty());
}

}  // namespace

TEST_CASE("check: reads cover the extents - whole writes together as far as they fit") {
  CHECK(ranges({}, 8).empty());
  CHECK(ranges({extent(3, 1)}, 8) == Places{{3, 1}});
  CHECK(ranges({extent(0, 8), extent(8, 8, 2)}, 8) == Places{{0, 8}, {8, 8}});
  CHECK(ranges({extent(0, 2), extent(2, 2, 2), extent(4, 5, 3)}, 8) == Places{{0, 4}, {4, 5}});
  CHECK(ranges({extent(0, 2), extent(3, 2, 2)}, 8) == Places{{0, 2}, {3, 2}});  // a hole between them
  CHECK(ranges({extent(0, 20)}, 8) == Places{{0, 8}, {8, 8}, {16, 4}});
  CHECK(ranges({extent(0, 20), extent(20, 4, 2)}, 8) == Places{{0, 8}, {8, 8}, {16, 8}});
  CHECK(ranges({extent(0, 1), extent(1, 1, 2), extent(2, 1, 3)}, 1) == Places{{0, 1}, {1, 1}, {2, 1}});
}

TEST_CASE("check: what was written is read once and sound") {
  Bed bed;
  bed.write(0, 8);
  bed.write(4, 2);
  bed.write(40, 24);
  CheckedReads& check = bed.reads(8);
  bed.run(check);
  CHECK(check.totals.bytes == 32 * kBlock);
  CHECK(check.totals.operations == check.reads());
  CHECK(check.totals.faults.empty());
  std::set<std::uint64_t> seen;
  for (const auto& [first, count] : bed.read()) {
    for (std::uint64_t i = 0; i < count; ++i) CHECK(seen.insert(first + i).second);
  }
  CHECK(seen.size() == 32);
}

TEST_CASE("check: workers share a file without overlap and without a gap") {
  Bed bed;
  for (std::uint64_t block = 0; block < kBlocks; block += 2) bed.write(block, 1);
  std::uint64_t reads = 0, bytes = 0;
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    CheckedReads& check = bed.reads(4, rank, 3);
    bed.run(check);
    reads += check.reads();
    bytes += check.totals.bytes;
  }
  CHECK(reads == 32);
  CHECK(bytes == 32 * kBlock);
}

TEST_CASE("check: one bad place costs its granule and no neighbour") {
  Bed bed;
  bed.write(0, 8);
  CheckedReads& check = bed.reads(8);
  bed.run(check, 3);
  check_only(check.totals, FaultClass::unreadable, 3 * kBlock, kBlock);
  CHECK(check.totals.bytes == 7 * kBlock);
  CHECK(check.totals.operations == 9);
  CHECK(check.totals.faults[0].text.find("eio") != std::string::npos);
}

TEST_CASE("check: behind the end of the target nothing is there - a write that it cuts is torn") {
  Bed bed;
  bed.write(0, 8);
  bed.write(8, 8);
  bed.flush();
  bed.write(16, 8);
  CheckedReads& missing = bed.reads(8);
  bed.run(missing, ~std::uint64_t{0}, 16 * kBlock);
  check_only(missing.totals, FaultClass::missing, 16 * kBlock, 8 * kBlock);
  CHECK(missing.totals.faults[0].text == "nothing is there: the target ends before this place");
  CHECK(missing.totals.bytes == 16 * kBlock);

  CheckedReads& torn = bed.reads(8);
  bed.run(torn, ~std::uint64_t{0}, 20 * kBlock);
  check_only(torn.totals, FaultClass::torn, 20 * kBlock, 4 * kBlock);

  CheckedReads& both = bed.reads(8);
  bed.run(both, ~std::uint64_t{0}, 8 * kBlock);
  CHECK(both.totals.of(FaultClass::lost) == 8 * kBlock);
  CHECK(both.totals.of(FaultClass::missing) == 8 * kBlock);
  CHECK(both.totals.bytes == 8 * kBlock);
}

TEST_CASE("check: a part of a write that is gone makes the write torn - all of it missing or lost") {
  const auto zero = [](Bed& bed, std::uint64_t block, std::uint64_t count) {
    std::fill_n(bed.at(block), count * kBlock, std::byte{});
  };
  Bed part;
  part.write(0, 8);
  zero(part, 4, 4);
  CheckedReads& torn = part.reads(64);
  part.run(torn);
  check_only(torn.totals, FaultClass::torn, 4 * kBlock, 4 * kBlock);

  Bed whole;
  whole.write(0, 8);
  whole.write(8, 8);
  zero(whole, 0, 8);
  CheckedReads& missing = whole.reads(64);
  whole.run(missing);
  check_only(missing.totals, FaultClass::missing, 0, 8 * kBlock);
  CHECK(missing.totals.bytes == 8 * kBlock);

  Bed flushed;
  flushed.write(0, 8);
  flushed.flush();
  zero(flushed, 0, 8);
  CheckedReads& lost = flushed.reads(64);
  flushed.run(lost);
  check_only(lost.totals, FaultClass::lost, 0, 8 * kBlock);
}

TEST_CASE("check: the list of faults is bounded - the totals are not") {
  Bed bed;
  for (std::uint64_t block = 0; block < kBlocks; block += 2) bed.write(block, 1);
  VerifyTotals sum;
  for (int i = 0; i < 5; ++i) {
    CheckedReads& check = bed.reads(1);
    std::fill(bed.disk.begin(), bed.disk.end(), std::byte{});
    bed.run(check);
    CHECK(check.totals.faults.size() == 32);
    add_totals(sum, check.totals);
  }
  CHECK(sum.of(FaultClass::missing) == 5 * 32 * kBlock);
  REQUIRE(sum.faults.size() == VerifyTotals::kMostFaults);
  CHECK(sum.faults[99].offset >= sum.faults[98].offset);
}
