// What a worker whose data is proven does with each I/O besides: stamping what it writes, or judging what it reads. It
// is called by the worker's thread only; the loop of other workers does not know it (Worker's kExtras).
#pragma once

#include <cstdint>

#include <diskproof/engine_abi.h>

#include "exec/io_source.hpp"
#include "integrity/verify_totals.hpp"
#include "support/clock.hpp"

namespace diskproof {

class LaneIntegrity {
 public:
  LaneIntegrity() = default;
  virtual ~LaneIntegrity() = default;
  LaneIntegrity(const LaneIntegrity&) = delete;
  LaneIntegrity& operator=(const LaneIntegrity&) = delete;

  // An operation to start before the next of the source; null: none is due. Valid until the next call.
  virtual const Operation* extra() noexcept = 0;
  // `io` goes to the engine next; the data of a write is filled in here.
  virtual void starts(const dp_io& io) noexcept = 0;
  // How it ended: whole, or otherwise, or it never went to the engine.
  virtual void succeeded(std::uint32_t tag) noexcept = 0;
  virtual void failed(const dp_done& done) noexcept = 0;
  virtual void withdrawn(std::uint32_t tag) noexcept = 0;

  // Extra operations come on top of the worker's budget as they are started.
  [[nodiscard]] virtual bool extras_are_free() const noexcept = 0;
  // Operations that a failed one has added to the budget, since the last call.
  virtual std::uint64_t take_added() noexcept { return 0; }
  // A failed operation is a finding of its own and counts against nothing else.
  [[nodiscard]] virtual bool tolerates_errors() const noexcept = 0;
  // Where the worker's operations come from; null: from the phase's pattern.
  virtual IoSource* source() noexcept { return nullptr; }

  VerifyTotals totals;  // but for busy and wall
  Ticks busy = 0;       // spent on stamps, and
  Ticks wall = 0;       // from go to the end
};

}  // namespace diskproof
