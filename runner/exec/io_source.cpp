// Generators of operations, specialised by access pattern and by whether directions are mixed.
#include "exec/io_source.hpp"

#include <algorithm>
#include <fmt/format.h>

#include <diskproof/engine_abi.h>

#include "exec/permutation.hpp"
#include "exec/random.hpp"
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

// Blocks of the stripe in ascending order, around and around, with one cursor per direction.
class SequentialOffsets {
 public:
  SequentialOffsets(const WorkerSlice& slice, std::uint64_t block)
      : begin_(slice.begin), end_(slice.end), block_(block) {
    std::fill(std::begin(cursor_), std::end(cursor_), begin_);
  }
  std::uint64_t next(std::uint8_t op) noexcept {
    std::uint64_t& cursor = cursor_[op];
    const std::uint64_t offset = cursor;
    cursor = offset + block_ < end_ ? offset + block_ : begin_;
    return offset;
  }
  // A layout phase's last block may be shorter.
  [[nodiscard]] std::uint32_t length(std::uint64_t offset) const noexcept {
    return static_cast<std::uint32_t>(std::min(block_, end_ - offset));
  }

 private:
  std::uint64_t begin_, end_, block_;
  std::uint64_t cursor_[3]{};  // read, write, trim
};

// Each whole block of the stripe once per pass, in a new order every pass, shared by all directions.
class RandomOffsets {
 public:
  RandomOffsets(const WorkerSlice& slice, std::uint64_t block, std::uint64_t seed)
      : begin_(slice.begin),
        block_(block),
        blocks_(std::max<std::uint64_t>((slice.end - slice.begin) / block, 1)),
        keys_(seed),
        order_(blocks_, keys_.next()) {}
  std::uint64_t next(std::uint8_t) noexcept {
    if (index_ == blocks_) {
      index_ = 0;
      order_.rekey(keys_.next());
    }
    return begin_ + order_(index_++) * block_;
  }
  [[nodiscard]] std::uint32_t length(std::uint64_t) const noexcept { return static_cast<std::uint32_t>(block_); }

 private:
  std::uint64_t begin_, block_, blocks_;
  std::uint64_t index_ = 0;
  Random keys_;
  Permutation order_;
};

template <class Offsets, class Directions>
class Source final : public IoSource {
 public:
  Source(Offsets offsets, Directions directions) : offsets_(std::move(offsets)), directions_(std::move(directions)) {}

  // Generates into registers: what it stores could be its own state for all that the compiler knows.
  void fill(std::span<Operation> operations) noexcept override {
    Offsets offsets = offsets_;
    Directions directions = directions_;
    for (Operation& operation : operations) {
      const std::uint8_t op = directions.next();
      const std::uint64_t offset = offsets.next(op);
      operation = {offset, offsets.length(offset), op};
    }
    offsets_ = offsets;
    directions_ = directions;
  }

 private:
  Offsets offsets_;
  Directions directions_;
};

constexpr std::uint64_t kAll = std::uint64_t{1} << 32;

std::uint64_t bound(double percent) {
  return static_cast<std::uint64_t>(percent / 100.0 * static_cast<double>(kAll) + 0.5);
}

template <class Offsets>
std::unique_ptr<IoSource> with_directions(Offsets offsets, const PhasePlan& phase, std::uint64_t seed) {
  const OperationMix& mix = phase.operations;
  const auto one = [&](std::uint8_t op) -> std::unique_ptr<IoSource> {
    return std::make_unique<Source<Offsets, OneDirection>>(std::move(offsets), OneDirection{op});
  };
  if (mix.write <= 0 && mix.trim <= 0) return one(DP_OP_READ);
  if (mix.read <= 0 && mix.trim <= 0) return one(DP_OP_WRITE);
  if (mix.read <= 0 && mix.write <= 0) return one(DP_OP_TRIM);
  const std::uint64_t reads = bound(mix.read);
  const std::uint64_t writes = mix.trim <= 0 ? kAll : bound(mix.read + mix.write);
  return std::make_unique<Source<Offsets, Mix>>(std::move(offsets), Mix{reads, writes, Random(seed)});
}

// An independent stream of the phase's seed for a worker and a purpose.
std::uint64_t stream_seed(std::uint64_t seed, std::uint32_t worker, std::uint64_t purpose) {
  std::uint64_t state = seed ^ (std::uint64_t{worker} << 32) ^ purpose;
  splitmix64(state);
  return splitmix64(state);
}

std::uint64_t share_of(std::uint64_t total, std::uint64_t parts, std::uint64_t part) {
  return total / parts + (part < total % parts ? 1 : 0);
}

}  // namespace

WorkerSlice slice_of(const PhasePlan& phase, std::uint32_t worker) {
  const std::uint64_t targets = std::max<std::size_t>(phase.targets.size(), 1);
  WorkerSlice slice;
  slice.target = static_cast<std::uint32_t>(worker % targets);
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
  const std::uint64_t first = blocks / sharers * rank + std::min(rank, blocks % sharers);
  slice.begin = phase.region_from + first * phase.block_size;
  slice.end = layout && rank + 1 == sharers ? phase.region_from + phase.region_size
                                            : slice.begin + share_of(blocks, sharers, rank) * phase.block_size;

  if (layout) {  // `allocated` gets its space when the target is opened and writes nothing
    const std::uint64_t all = (slice.end - slice.begin + phase.block_size - 1) / phase.block_size;
    slice.operations = phase.layout == Layout::allocated ? 0 : all;
    return slice;
  }
  if (phase.stop.kind == StopRule::Kind::operations)
    slice.operations = share_of(phase.stop.value, phase.threads, worker);
  if (phase.stop.kind == StopRule::Kind::bytes) {
    const std::uint64_t operations = (phase.stop.value + phase.block_size - 1) / phase.block_size;
    slice.operations = share_of(operations, phase.threads, worker);
  }
  return slice;
}

std::unique_ptr<IoSource> make_io_source(const PhasePlan& phase, std::uint32_t worker) {
  const WorkerSlice slice = slice_of(phase, worker);
  const std::uint64_t mix_seed = stream_seed(phase.seed, worker, 1);
  if (phase.access == Access::sequential) {
    return with_directions(SequentialOffsets(slice, phase.block_size), phase, mix_seed);
  }
  return with_directions(RandomOffsets(slice, phase.block_size, stream_seed(phase.seed, worker, 2)), phase, mix_seed);
}

}  // namespace diskproof
