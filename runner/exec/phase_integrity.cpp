// Which file of the disk is which, and the beginning and end of maps and manifests.
#include "exec/phase_integrity.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "exec/checked_reads.hpp"
#include "exec/seed_streams.hpp"
#include "exec/stamped_writes.hpp"
#include "integrity/owed_manifest.hpp"
#include "plan/verify_phase.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"
#include "support/process.hpp"

namespace diskproof {

namespace {

const DiskPlan& disk_of(const Plan& plan, const PhasePlan& phase) {
  const auto found = std::ranges::find(plan.disks, phase.disk, &DiskPlan::name);
  if (found == plan.disks.end()) {
    throw Error(ErrorKind::failed, fmt::format("phase {}: the plan has no disk {}", phase.name, phase.disk));
  }
  return *found;
}

std::vector<std::uint64_t> sizes_of(const DiskPlan& disk) {
  return std::vector<std::uint64_t>(stamped_files(disk).size(), disk.file_size > 0 ? disk.file_size : disk.capacity);
}

std::string map_path(const PhasePlan& phase, const std::string& state_dir) {
  return path_in(state_dir, phase.verify.map);
}

std::unique_ptr<WrittenMap> open_map(const Plan& plan, const PhasePlan& phase, const DiskPlan& disk,
                                     const std::string& state_dir) {
  const StampKey key{stamp_run(plan.run_id, disk.name), phase.seed, static_cast<std::uint32_t>(phase.verify.granule)};
  return std::make_unique<WrittenMap>(map_path(phase, state_dir), key, sizes_of(disk));
}

}  // namespace

std::unique_ptr<PhaseIntegrity> PhaseIntegrity::open(const Plan& plan, const PhasePlan& phase,
                                                     const std::string& state_dir) {
  if (!phase.verify.write && phase.kind != PhaseKind::verify) return nullptr;
  return std::unique_ptr<PhaseIntegrity>(new PhaseIntegrity(plan, phase, state_dir));
}

PhaseIntegrity::PhaseIntegrity(const Plan& plan, const PhasePlan& phase, const std::string& state_dir)
    : phase_(phase), disk_(disk_of(plan, phase)) {
  if (phase.verify.write) {
    map_ = open_map(plan, phase, disk_, state_dir);
  } else {
    const std::string copy = fmt::format("check-{}.manifest", current_process().pid);  // others check at the same time
    manifest_ = std::make_unique<Manifest>(phase.verify.manifest, path_in(state_dir, copy));
    check_targets();
  }
}

// Every file that has data must have a worker.
void PhaseIntegrity::check_targets() const {
  const ManifestFacts& facts = manifest_->facts();
  const auto fail = [&](const std::string& why) {
    throw Error(ErrorKind::failed, fmt::format("checking what {} says: {}", phase_.verify.manifest, why));
  };
  if (facts.expected == 0) fail("nothing was acknowledged as written, so there is nothing to check");
  if (facts.files.size() != phase_.targets.size()) {
    fail(fmt::format("it is of {} files, the phase has {}", facts.files.size(), phase_.targets.size()));
  }
  if (phase_.threads < phase_.targets.size()) {
    fail(fmt::format("{} threads for {} files; each needs one", phase_.threads, phase_.targets.size()));
  }
  if (phase_.block_size < facts.granule) {
    fail(fmt::format("its blocks of {} bytes do not fit into reads of {}", facts.granule, phase_.block_size));
  }
}

std::uint64_t PhaseIntegrity::expected() const noexcept { return manifest_ ? manifest_->facts().expected : 0; }

std::unique_ptr<LaneIntegrity> PhaseIntegrity::make_lane(std::uint32_t index, WorkerSlice& slice) {
  const std::string& target = phase_.targets.at(slice.target).spec;
  if (manifest_) {
    const auto targets = static_cast<std::uint32_t>(phase_.targets.size());
    const std::uint32_t sharers = phase_.threads / targets + (slice.target < phase_.threads % targets ? 1 : 0);
    auto reads = std::make_unique<CheckedReads>(
        *manifest_, CheckSetup{target, slice.target, phase_.queue_depth, phase_.block_size, index / targets, sharers});
    slice.budget = reads->reads();
    return reads;
  }
  const std::vector<std::string> files = stamped_files(disk_);
  const auto found = std::ranges::find(files, target);
  const auto file = static_cast<std::uint32_t>(found - files.begin());
  if (found == files.end() || slice.end > map_->file_size(file)) {
    throw Error(ErrorKind::failed, fmt::format("phase {}: {} is not in the map of what is written to disk {}",
                                               phase_.name, target, disk_.name));
  }
  return std::make_unique<StampedWrites>(
      *map_, StampSetup{target, file, phase_.queue_depth, phase_.block_size, phase_.sync != Durability::none,
                        phase_.verify.during, stream_seed(phase_.seed, index, kReadBackStream)});
}

void owe_manifest(const Plan& plan, const PhasePlan& phase, const std::string& state_dir) {
  if (!phase.verify.write) return;
  const DiskPlan& disk = disk_of(plan, phase);
  OwedManifest owed{.path = phase.verify.manifest, .facts = {}};
  owed.facts.run_id = plan.run_id;
  owed.facts.disk = disk.name;
  owed.facts.phase = phase.name;
  for (const std::string& file : stamped_files(disk)) owed.facts.files.push_back({.path = name_on_disk(disk, file)});
  owe_manifest(map_path(phase, state_dir), owed);
  std::error_code none;
  for (const PhasePlan& writer : plan.phases) {
    const bool outdated = writer.verify.write && writer.verify.map == phase.verify.map;
    if (outdated) std::filesystem::remove(path_from(writer.verify.manifest), none);
  }
}

bool leave_manifest(const PhasePlan& phase, const std::string& state_dir) {
  return phase.verify.write && make_owed_manifest(map_path(phase, state_dir));
}

}  // namespace diskproof
