// What a phase that stamps or checks shares between its workers: the disk's map, or the manifest.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "exec/lane_integrity.hpp"
#include "integrity/manifest.hpp"
#include "integrity/written_map.hpp"
#include "plan/plan.hpp"

namespace diskproof {

class PhaseIntegrity {
 public:
  // Null: the phase does neither. `plan.disks` has the phase's disk; both outlive it. Throws
  // Error{unavailable} when the map cannot be made or the manifest cannot be read, Error{failed} when there is nothing
  // to check.
  static std::unique_ptr<PhaseIntegrity> open(const Plan& plan, const PhasePlan& phase, const std::string& state_dir);

  // Of worker `index`, which works on `slice`; a check sets its budget. On the worker's thread.
  std::unique_ptr<LaneIntegrity> make_lane(std::uint32_t index, WorkerSlice& slice);
  // Bytes that a check is to find; 0 of a phase that writes.
  [[nodiscard]] std::uint64_t expected() const noexcept;

 private:
  PhaseIntegrity(const Plan& plan, const PhasePlan& phase, const std::string& state_dir);
  void check_targets() const;

  const PhasePlan& phase_;
  const DiskPlan& disk_;
  std::unique_ptr<WrittenMap> map_;     // of a phase that writes
  std::unique_ptr<Manifest> manifest_;  // of a check
};

// Before a phase that stamps writes: from now on its manifest is owed, and those of the same map are outdated and
// removed. Throws Error.
void owe_manifest(const Plan& plan, const PhasePlan& phase, const std::string& state_dir);
// After it has ended in whatever way: makes its manifest of its map. False: it has none, since it does not stamp or
// never came so far. Throws Error.
bool leave_manifest(const PhasePlan& phase, const std::string& state_dir);

}  // namespace diskproof
