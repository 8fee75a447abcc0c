// Where the operations come from: offsets, lengths and directions of one worker, generated in batches ahead of the
// measured loop. The generator is chosen once per phase; the loop only takes the next one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "plan/plan.hpp"

namespace diskproof {

struct Operation {
  std::uint64_t offset;
  std::uint32_t length;
  std::uint8_t op;  // enum dp_op
};

class IoSource {
 public:
  virtual ~IoSource() = default;
  // Fills all of `operations`; sources never end, the stop rule does.
  virtual void fill(std::span<Operation> operations) noexcept = 0;
};

// The stripe [begin, end) of a target that one worker works on, and its share of a counted phase.
struct WorkerSlice {
  std::uint32_t target = 0;  // index into PhasePlan::targets
  std::uint64_t begin = 0;   // bytes
  std::uint64_t end = 0;
  std::uint64_t stride = 0;  // sequential: from block to block
  // Counted phases: the operations that are this worker's; bytes where bytes are counted and blocks differ in size.
  std::uint64_t budget = 0;
};

// Cuts the region into disjoint stripes of whole blocks: one per thread that shares a target. With `shared` each has
// the whole region, of which sequential threads take every n-th block: together they go through it once. What is left
// of the region behind its last whole block is measured by nobody; a layout phase writes it as a shorter last block.
// Throws Error{failed} when a thread of a measured phase would get no block.
WorkerSlice slice_of(const PhasePlan& phase, std::uint32_t worker);

std::unique_ptr<IoSource> make_io_source(const PhasePlan& phase, std::uint32_t worker);

}  // namespace diskproof
