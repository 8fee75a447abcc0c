// Generators of operations, specialised by access pattern and by whether directions are mixed.
#include "exec/io_source.hpp"

#include <algorithm>
#include <fmt/format.h>

#include <diskproof/engine_abi.h>

#include "exec/offsets.hpp"
#include "exec/seed_streams.hpp"
#include "support/error.hpp"

namespace diskproof {

namespace {

// Always the same direction.
struct OneDirection {
  std::uint8_t op;
  std::uint8_t next() noexcept { return op; }
};

// Draws a direction by its share; the bounds are cumulative, in 1/2^32.
struct Mix {
  std::uint64_t reads;
  std::uint64_t writes;  // reads and writes; the rest is trims
  Random random;
  std::uint8_t next() noexcept {
    const std::uint64_t drawn = random.next() >> 32;
    return static_cast<std::uint8_t>(drawn < reads ? DP_OP_READ : drawn < writes ? DP_OP_WRITE : DP_OP_TRIM);
  }
};

template <class Offsets, class Directions>
class Source final : public IoSource {
 public:
  Source(Offsets offsets, Directions directions) : offsets_(std::move(offsets)), directions_(std::move(directions)) {}

  void fill(std::span<Operation> operations) noexcept override {
    if constexpr (std::is_trivially_copyable_v<Offsets>) {
      // Into registers: what is stored could be the generator's own state for all that the compiler knows.
      Offsets offsets = offsets_;
      Directions directions = directions_;
      generate(operations, offsets, directions);
      offsets_ = offsets;
      directions_ = directions;
    } else {
      generate(operations, offsets_, directions_);
    }
  }

 private:
  static void generate(std::span<Operation> operations, Offsets& offsets, Directions& directions) noexcept {
    for (Operation& operation : operations) {
      const std::uint8_t op = directions.next();
      const Place place = offsets.next(op);
      operation = {place.offset, place.length, op};
    }
  }

  Offsets offsets_;
  Directions directions_;
};

constexpr std::uint64_t kAll = std::uint64_t{1} << 32;

std::uint64_t bound(double percent) {
  return static_cast<std::uint64_t>(percent / 100.0 * static_cast<double>(kAll) + 0.5);
}

std::uint64_t share_of(std::uint64_t total, std::uint64_t parts, std::uint64_t part) {
  return total / parts + (part < total % parts ? 1 : 0);
}

Lengths lengths_of(const PhasePlan& phase, std::uint32_t worker) {
  std::vector<Lengths::Share> shares;
  double percent = 0;
  for (const BlockShare& block : phase.block_sizes) {
    percent += block.percent;
    shares.push_back({bound(percent), static_cast<std::uint32_t>(block.size)});
  }
  if (shares.empty()) shares.push_back({kAll, static_cast<std::uint32_t>(phase.block_size)});
  shares.back().until = kAll;
  return {std::move(shares), stream_seed(phase.seed, worker, kLengthStream)};
}

// This worker's share of a counted phase.
std::uint64_t budget_of(const PhasePlan& phase, std::uint32_t worker, const WorkerSlice& slice) {
  if (phase.kind == PhaseKind::layout) {  // `allocated` gets its space when the target is opened and writes nothing
    const std::uint64_t all = (slice.end - slice.begin + phase.block_size - 1) / phase.block_size;
    return phase.layout == Layout::allocated ? 0 : all;
  }
  if (phase.stop.kind == StopRule::Kind::operations) return share_of(phase.stop.value, phase.threads, worker);
  if (phase.stop.kind != StopRule::Kind::bytes) return 0;
  if (!phase.block_sizes.empty()) return share_of(phase.stop.value, phase.threads, worker);
  return share_of((phase.stop.value + phase.block_size - 1) / phase.block_size, phase.threads, worker);
}

// Puts a worker's generator together.
class SourceMaker {
 public:
  SourceMaker(const PhasePlan& phase, std::uint32_t worker)
      : phase_(phase), worker_(worker), slice_(slice_of(phase, worker)), stripe_{slice_.begin, slice_.end} {}

  [[nodiscard]] std::unique_ptr<IoSource> make() const {
    const bool weighted = !phase_.block_sizes.empty();
    switch (phase_.access) {
      case Access::sequential:
        if (weighted) return with_directions(WeightedSequentialOffsets(stripe_, lengths_of(phase_, worker_)));
        return with_directions(SequentialOffsets(stripe_, phase_.block_size, slice_.stride));
      case Access::random:
        if (!weighted && !phase_.shared) {
          return with_directions(CoveringOffsets(stripe_, phase_.block_size, seed(kOffsetStream)));
        }
        return independent([](std::uint64_t blocks) { return UniformDraw{blocks}; });
      case Access::zipf:
        return scattered([this](std::uint64_t blocks) { return ZipfRanks(blocks, phase_.skew); });
      case Access::pareto:
        return scattered([this](std::uint64_t blocks) { return ParetoRanks(blocks, phase_.skew); });
      case Access::hotspot:
        return independent([this](std::uint64_t blocks) { return HotspotBlocks(blocks, phase_.hot_zones); });
    }
    throw Error(ErrorKind::failed, fmt::format("phase {}: an access that does not exist", phase_.name));
  }

 private:
  [[nodiscard]] std::uint64_t seed(Stream stream) const { return stream_seed(phase_.seed, worker_, stream); }

  // `make_draw(blocks)` for every length.
  template <class MakeDraw>
  [[nodiscard]] std::unique_ptr<IoSource> independent(const MakeDraw& make_draw) const {
    Lengths sizes = lengths_of(phase_, worker_);
    std::vector<decltype(make_draw(std::uint64_t{}))> draws;
    for (std::size_t i = 0; i < sizes.count(); ++i) {
      draws.push_back(make_draw(std::max<std::uint64_t>(stripe_.size() / sizes.length(i), 1)));
    }
    return with_directions(IndependentOffsets(stripe_, std::move(sizes), std::move(draws), seed(kOffsetStream)));
  }

  // All workers that share a stripe use the same order: a block that is hot is hot for all of them.
  template <class MakeRanks>
  [[nodiscard]] std::unique_ptr<IoSource> scattered(const MakeRanks& make_ranks) const {
    const std::uint64_t key = stream_seed(phase_.seed, phase_.shared ? 0 : worker_, kPlaceStream);
    return independent([&](std::uint64_t blocks) {
      return ScatteredDraw<decltype(make_ranks(blocks))>{make_ranks(blocks), Permutation(blocks, key)};
    });
  }

  template <class Offsets>
  [[nodiscard]] std::unique_ptr<IoSource> with_directions(Offsets offsets) const {
    const OperationMix& mix = phase_.operations;
    const auto one = [&](std::uint8_t op) -> std::unique_ptr<IoSource> {
      return std::make_unique<Source<Offsets, OneDirection>>(std::move(offsets), OneDirection{op});
    };
    if (mix.write <= 0 && mix.trim <= 0) return one(DP_OP_READ);
    if (mix.read <= 0 && mix.trim <= 0) return one(DP_OP_WRITE);
    if (mix.read <= 0 && mix.write <= 0) return one(DP_OP_TRIM);
    const std::uint64_t reads = bound(mix.read);
    const std::uint64_t writes = mix.trim <= 0 ? kAll : bound(mix.read + mix.write);
    return std::make_unique<Source<Offsets, Mix>>(std::move(offsets), Mix{reads, writes, Random(seed(kMixStream))});
  }

  const PhasePlan& phase_;
  const std::uint32_t worker_;
  const WorkerSlice slice_;
  const Stripe stripe_;
};

}  // namespace

WorkerSlice slice_of(const PhasePlan& phase, std::uint32_t worker) {
  const std::uint64_t targets = std::max<std::size_t>(phase.targets.size(), 1);
  WorkerSlice slice;
  slice.target = static_cast<std::uint32_t>(worker % targets);
  if (phase.kind == PhaseKind::verify) return slice;  // a manifest says what is read
  const std::uint64_t sharers = phase.threads / targets + (slice.target < phase.threads % targets ? 1 : 0);
  const std::uint64_t rank = worker / targets;

  const std::uint64_t blocks = phase.region_size / phase.block_size;  // whole ones
  const bool layout = phase.kind == PhaseKind::layout;
  if (!layout && blocks < sharers) {
    throw Error(ErrorKind::failed,
                fmt::format("phase {}: {} threads share a region of {} blocks of {} bytes, each needs one of its own; "
                            "lower threads or enlarge size or region",
                            phase.name, sharers, blocks, phase.block_size));
  }
  slice.stride = phase.block_size;
  if (phase.shared) {
    const bool in_turns = phase.access == Access::sequential;
    slice.begin = phase.region_from + (in_turns ? rank * phase.block_size : 0);
    slice.end = phase.region_from + blocks * phase.block_size;
    if (in_turns) slice.stride = sharers * phase.block_size;
  } else {
    const std::uint64_t first = blocks / sharers * rank + std::min(rank, blocks % sharers);
    slice.begin = phase.region_from + first * phase.block_size;
    slice.end = layout && rank + 1 == sharers ? phase.region_from + phase.region_size
                                              : slice.begin + share_of(blocks, sharers, rank) * phase.block_size;
  }
  slice.budget = budget_of(phase, worker, slice);
  return slice;
}

std::unique_ptr<IoSource> make_io_source(const PhasePlan& phase, std::uint32_t worker) {
  return SourceMaker(phase, worker).make();
}

}  // namespace diskproof
