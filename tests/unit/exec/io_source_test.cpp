// Which operations a worker issues: stripes, coverage, mixes, reproducibility.
#include "exec/io_source.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <diskproof/engine_abi.h>

#include "support/error.hpp"

using namespace diskproof;

namespace {

PhasePlan phase_of(std::uint64_t region, std::uint32_t threads = 1, std::size_t targets = 1) {
  PhasePlan phase;
  phase.name = "p";
  phase.targets.resize(targets, {"t", region});
  phase.region_size = region;
  phase.threads = threads;
  phase.block_size = 4096;
  phase.seed = 42;
  phase.stop = {StopRule::Kind::duration, 1'000'000'000};
  return phase;
}

std::vector<Operation> take(const PhasePlan& phase, std::uint32_t worker, std::size_t count) {
  std::vector<Operation> operations(count);
  make_io_source(phase, worker)->fill(operations);
  return operations;
}

std::vector<std::uint64_t> offsets_of(const std::vector<Operation>& operations) {
  std::vector<std::uint64_t> offsets;
  for (const Operation& operation : operations) offsets.push_back(operation.offset);
  return offsets;
}

std::uint64_t fingerprint(const std::vector<Operation>& operations) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  const auto add = [&hash](std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) hash = (hash ^ ((value >> (8 * i)) & 0xff)) * 0x100000001b3u;
  };
  for (const Operation& operation : operations) {
    add(operation.offset, 8);
    add(operation.length, 4);
    add(operation.op, 1);
  }
  return hash;
}

}  // namespace

TEST_CASE("io source: stripes are disjoint and cover every whole block of each target") {
  for (const PhaseKind kind : {PhaseKind::measure, PhaseKind::layout}) {
    for (const std::uint32_t threads : {1u, 2u, 3u, 4u, 7u, 16u}) {
      for (const std::uint32_t targets : {1u, 2u, 3u}) {
        for (const std::uint64_t region : {16u * 4096u, 16u * 4096u + 1, 17u * 4096u, 100u * 4096u + 4095u, 1u << 20}) {
          if (targets > threads) continue;
          CAPTURE(static_cast<int>(kind));
          CAPTURE(threads);
          CAPTURE(targets);
          CAPTURE(region);
          PhasePlan phase = phase_of(region, threads, targets);
          phase.kind = kind;
          phase.region_from = 8192;
          std::map<std::uint32_t, std::vector<WorkerSlice>> by_target;
          for (std::uint32_t worker = 0; worker < threads; ++worker) {
            const WorkerSlice slice = slice_of(phase, worker);
            CHECK(slice.target == worker % targets);
            by_target[slice.target].push_back(slice);
          }
          REQUIRE(by_target.size() == targets);
          const std::uint64_t covered = kind == PhaseKind::layout ? region : region / 4096 * 4096;
          for (auto& [target, slices] : by_target) {
            std::sort(slices.begin(), slices.end(), [](auto& a, auto& b) { return a.begin < b.begin; });
            std::uint64_t at = phase.region_from;
            for (const WorkerSlice& slice : slices) {
              CHECK(slice.begin == at);
              CHECK(slice.end > slice.begin);
              CHECK((slice.begin - phase.region_from) % phase.block_size == 0);
              at = slice.end;
            }
            CHECK(at == phase.region_from + covered);
          }
        }
      }
    }
  }
}

TEST_CASE("io source: a measured thread without a block of its own is an error, a layout thread has nothing to do") {
  PhasePlan phase = phase_of(3 * 4096 + 100, 4);
  CHECK_THROWS_WITH_AS(slice_of(phase, 0),
                       "phase p: 4 threads share a region of 3 blocks of 4096 bytes, each needs one of its own; lower "
                       "threads or enlarge size or region",
                       Error);
  phase.kind = PhaseKind::layout;
  std::uint64_t operations = 0;
  for (std::uint32_t worker = 0; worker < 4; ++worker) operations += slice_of(phase, worker).budget;
  CHECK(operations == 4);  // three whole blocks and the short one
  CHECK(slice_of(phase, 3).end == 3 * 4096 + 100);
}

TEST_CASE("io source: counted phases are split without remainder") {
  struct Row {
    StopRule::Kind kind;
    std::uint64_t value;
    std::uint64_t expected;
  };
  const Row rows[] = {{StopRule::Kind::operations, 10, 10},     {StopRule::Kind::operations, 1, 1},
                      {StopRule::Kind::operations, 1001, 1001}, {StopRule::Kind::bytes, 8192, 2},
                      {StopRule::Kind::bytes, 8193, 3},         {StopRule::Kind::bytes, 1, 1},
                      {StopRule::Kind::duration, 5, 0}};
  for (const Row& row : rows) {
    for (const std::uint32_t threads : {1u, 3u, 4u}) {
      CAPTURE(static_cast<int>(row.kind));
      CAPTURE(row.value);
      CAPTURE(threads);
      PhasePlan phase = phase_of(1 << 20, threads);
      phase.stop = {row.kind, row.value};
      std::uint64_t sum = 0, least = ~std::uint64_t{0}, most = 0;
      for (std::uint32_t worker = 0; worker < threads; ++worker) {
        const std::uint64_t share = slice_of(phase, worker).budget;
        sum += share;
        least = std::min(least, share);
        most = std::max(most, share);
      }
      CHECK(sum == row.expected);
      CHECK(most - least <= 1);
    }
  }
}

TEST_CASE("io source: random access visits each block once per pass, in a new order every pass") {
  for (const std::uint64_t blocks : {1u, 2u, 3u, 5u, 100u, 1000u, 1024u, 4097u}) {
    CAPTURE(blocks);
    PhasePlan phase = phase_of(blocks * 4096 + 4095);
    phase.access = Access::random;
    phase.region_from = 12288;
    const auto source = make_io_source(phase, 0);
    std::vector<std::vector<std::uint64_t>> passes;
    for (int pass = 0; pass < 3; ++pass) {
      std::vector<Operation> operations(blocks);
      source->fill(operations);
      CHECK(std::all_of(operations.begin(), operations.end(), [](auto& io) { return io.length == 4096; }));
      passes.push_back(offsets_of(operations));
      std::vector<std::uint64_t> sorted = passes.back();
      std::sort(sorted.begin(), sorted.end());
      std::vector<std::uint64_t> expected(blocks);
      for (std::uint64_t i = 0; i < blocks; ++i) expected[i] = 12288 + i * 4096;
      CHECK(sorted == expected);
    }
    if (blocks >= 100) {
      CHECK(passes[0] != passes[1]);
      CHECK(passes[1] != passes[2]);
    }
  }
}

TEST_CASE("io source: random workers of one target share no block") {
  PhasePlan phase = phase_of(1000 * 4096, 3);
  phase.access = Access::random;
  std::vector<std::uint64_t> all;
  for (std::uint32_t worker = 0; worker < 3; ++worker) {
    const WorkerSlice slice = slice_of(phase, worker);
    const auto offsets = offsets_of(take(phase, worker, (slice.end - slice.begin) / 4096));
    all.insert(all.end(), offsets.begin(), offsets.end());
  }
  std::sort(all.begin(), all.end());
  REQUIRE(all.size() == 1000);
  CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
}

TEST_CASE("io source: two sequential workers read each block exactly once, ascending, around and around") {
  PhasePlan phase = phase_of(9 * 4096 + 512, 2);
  CHECK(offsets_of(take(phase, 0, 7)) == std::vector<std::uint64_t>{0, 4096, 8192, 12288, 16384, 0, 4096});
  CHECK(offsets_of(take(phase, 1, 6)) == std::vector<std::uint64_t>{20480, 24576, 28672, 32768, 20480, 24576});
  for (const Operation& operation : take(phase, 1, 100)) CHECK(operation.length == 4096);
}

TEST_CASE("io source: a layout ends with a shorter block where the file does") {
  PhasePlan phase = phase_of(2 * 4096 + 512);
  phase.kind = PhaseKind::layout;
  phase.operations = {.read = 0, .write = 100, .trim = 0};
  const WorkerSlice slice = slice_of(phase, 0);
  REQUIRE(slice.budget == 3);
  const auto operations = take(phase, 0, 4);
  CHECK(offsets_of(operations) == std::vector<std::uint64_t>{0, 4096, 8192, 0});
  CHECK(operations[1].length == 4096);
  CHECK(operations[2].length == 512);
  CHECK(operations[2].op == DP_OP_WRITE);
}

TEST_CASE("io source: a layout that only allocates writes nothing") {
  PhasePlan phase = phase_of(16 * 4096);
  phase.kind = PhaseKind::layout;
  phase.layout = Layout::allocated;
  CHECK(slice_of(phase, 0).budget == 0);
}

TEST_CASE("io source: directions follow the mix") {
  struct Row {
    OperationMix mix;
    double read, write, trim;
  };
  const Row rows[] = {
      {{.read = 100, .write = 0, .trim = 0}, 1, 0, 0},     {{.read = 0, .write = 100, .trim = 0}, 0, 1, 0},
      {{.read = 0, .write = 0, .trim = 100}, 0, 0, 1},     {{.read = 70, .write = 30, .trim = 0}, .7, .3, 0},
      {{.read = 50, .write = 50, .trim = 0}, .5, .5, 0},   {{.read = 1, .write = 99, .trim = 0}, .01, .99, 0},
      {{.read = 60, .write = 30, .trim = 10}, .6, .3, .1}, {{.read = 50, .write = 0, .trim = 50}, .5, 0, .5},
      {{.read = 0, .write = 25, .trim = 75}, 0, .25, .75}};
  for (const Access access : {Access::sequential, Access::random}) {
    for (const Row& row : rows) {
      CAPTURE(static_cast<int>(access));
      CAPTURE(row.mix.read);
      CAPTURE(row.mix.write);
      PhasePlan phase = phase_of(1 << 24);
      phase.access = access;
      phase.operations = row.mix;
      constexpr std::size_t kCount = 100'000;
      double counts[3]{};
      for (const Operation& operation : take(phase, 0, kCount)) counts[operation.op] += 1.0 / kCount;
      const double expected[3]{row.read, row.write, row.trim};
      for (int op = 0; op < 3; ++op) {
        CAPTURE(op);
        if (expected[op] == 0 || expected[op] == 1) {
          CHECK(counts[op] == doctest::Approx(expected[op]));
        } else {
          CHECK(std::abs(counts[op] - expected[op]) < 0.008);  // five standard deviations
        }
      }
    }
  }
}

TEST_CASE("io source: mixed sequential access keeps one cursor per direction") {
  PhasePlan phase = phase_of(1 << 24);
  phase.operations = {.read = 40, .write = 40, .trim = 20};
  std::uint64_t next[3]{};
  for (const Operation& operation : take(phase, 0, 1000)) {
    CHECK(operation.offset == next[operation.op]);
    next[operation.op] += 4096;
  }
}

TEST_CASE("io source: mixed random access shares one pass between the directions") {
  PhasePlan phase = phase_of(500 * 4096);
  phase.access = Access::random;
  phase.operations = {.read = 50, .write = 50, .trim = 0};
  auto offsets = offsets_of(take(phase, 0, 500));
  std::sort(offsets.begin(), offsets.end());
  CHECK(std::adjacent_find(offsets.begin(), offsets.end()) == offsets.end());
}

TEST_CASE("io source: the same seed gives the same operations, on every system") {
  PhasePlan phase = phase_of(1000 * 4096, 2);
  phase.access = Access::random;
  phase.operations = {.read = 70, .write = 30, .trim = 0};
  CHECK(fingerprint(take(phase, 0, 5000)) == 2448623801966128243u);
  CHECK(fingerprint(take(phase, 1, 5000)) == 10977434280535725394u);
  CHECK(fingerprint(take(phase, 0, 5000)) != fingerprint(take(phase, 1, 5000)));
  const std::uint64_t before = fingerprint(take(phase, 0, 5000));
  phase.seed = 43;
  CHECK(fingerprint(take(phase, 0, 5000)) != before);
}

TEST_CASE("io source: filling in pieces gives the same operations") {
  PhasePlan phase = phase_of(77 * 4096);
  phase.access = Access::random;
  phase.operations = {.read = 50, .write = 50, .trim = 0};
  const auto whole = take(phase, 0, 300);
  const auto source = make_io_source(phase, 0);
  std::vector<Operation> pieces(300);
  for (std::size_t at = 0, size = 1; at < 300; at += size, size = size % 64 + 1) {
    size = std::min<std::size_t>(size, 300 - at);
    source->fill(std::span(pieces).subspan(at, size));
  }
  CHECK(fingerprint(pieces) == fingerprint(whole));
}

TEST_CASE("io source: threads that share a target sequentially read each block once between them") {
  for (const std::uint32_t threads : {1u, 2u, 3u}) {
    CAPTURE(threads);
    PhasePlan phase = phase_of(12 * 4096, threads);
    phase.shared = true;
    std::map<std::uint64_t, int> seen;
    for (std::uint32_t worker = 0; worker < threads; ++worker) {
      for (const std::uint64_t offset : offsets_of(take(phase, worker, 12 / threads))) ++seen[offset];
    }
    CHECK(seen.size() == 12);
    for (const auto& [offset, times] : seen) CHECK(times == 1);
  }
}

TEST_CASE("io source: shared random access reaches the whole region from every thread") {
  PhasePlan phase = phase_of(16 * 4096, 2);
  phase.shared = true;
  phase.access = Access::random;
  for (const std::uint32_t worker : {0u, 1u}) {
    std::set<std::uint64_t> seen;
    for (const std::uint64_t offset : offsets_of(take(phase, worker, 1000))) seen.insert(offset);
    CHECK(seen.size() == 16);
    CHECK(*seen.rbegin() == 15 * 4096);
  }
  CHECK(offsets_of(take(phase, 0, 100)) != offsets_of(take(phase, 1, 100)));
}

TEST_CASE("io source: what is hot is hot for all who share it") {
  PhasePlan phase = phase_of(std::uint64_t{1} << 30, 2);
  phase.shared = true;
  phase.access = Access::zipf;
  phase.skew = 1.5;
  const auto hottest = [&](std::uint32_t worker) {
    std::map<std::uint64_t, int> seen;
    for (const std::uint64_t offset : offsets_of(take(phase, worker, 10'000))) ++seen[offset];
    return std::max_element(seen.begin(), seen.end(), [](auto& a, auto& b) { return a.second < b.second; })->first;
  };
  CHECK(hottest(0) == hottest(1));
  phase.shared = false;
  CHECK(hottest(0) != hottest(1));
}

TEST_CASE("io source: block sizes come by their shares, aligned and inside the stripe") {
  for (const Access access : {Access::sequential, Access::random, Access::zipf, Access::pareto, Access::hotspot}) {
    CAPTURE(static_cast<int>(access));
    PhasePlan phase = phase_of(std::uint64_t{1} << 24, 2);
    phase.access = access;
    phase.skew = access == Access::zipf ? 1.2 : 0.2;
    phase.hot_zones = {{10, 90}};
    phase.block_size = 32768;
    phase.block_sizes = {{4096, 50}, {8192, 20}, {32768, 30}};
    for (const std::uint32_t worker : {0u, 1u}) {
      const WorkerSlice slice = slice_of(phase, worker);
      std::map<std::uint32_t, int> lengths;
      for (const Operation& operation : take(phase, worker, 100'000)) {
        ++lengths[operation.length];
        REQUIRE(operation.offset >= slice.begin);
        REQUIRE(operation.offset + operation.length <= slice.end);
        REQUIRE(operation.offset % (access == Access::sequential ? 4096 : operation.length) == 0);
      }
      REQUIRE(lengths.size() == 3);
      CHECK(std::abs(lengths[4096] - 50'000) < 800);
      CHECK(std::abs(lengths[8192] - 20'000) < 800);
      CHECK(std::abs(lengths[32768] - 30'000) < 800);
    }
  }
}
