// The one model that every report writer reads. It is enough to write each report again, byte for byte, and
// result.json is its serialisation.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "metrics/phase_metrics.hpp"
#include "metrics/run_data.hpp"
#include "plan/plan.hpp"
#include "target/device_facts.hpp"
#include "target/step_report.hpp"
#include "verdict/network_mount.hpp"
#include "verdict/verdict.hpp"

namespace diskproof {

struct HostFacts {
  std::string hostname, os, kernel, cpu_model;
  std::uint32_t cpus = 0;
  std::uint64_t memory = 0;  // bytes
};

struct DiskFacts {  // what was found under a disk
  std::string name, kind, path;
  std::string filesystem;  // "ext4", "tmpfs"…; empty: unknown or none
  std::string mount_point, mount_source, mount_options;
  std::uint64_t size = 0;  // bytes of the file system or device; 0: unknown
  std::optional<DeviceFacts> device{};
  std::optional<NetworkMount> network{};  // of a network file system
};

struct RunRecord {  // one run of a phase
  std::uint64_t seed = 0;
  std::string started_at;  // ISO 8601, UTC, to the second
  double seconds = 0;      // wall time
  bool discarded = false;  // kept, but of no account for the phase's metrics
  PhaseMetrics metrics;
  std::vector<Interval> intervals;
};

// The whole intervals in which all phases of a group were measuring.
struct CommonWindow {
  std::uint64_t begin = 0;  // ns since go
  std::uint64_t end = 0;
  PhaseMetrics metrics;
  std::vector<Interval> intervals;
};

struct PhaseReport {
  std::string name;
  std::string kind;  // layout, measure, group
  Outcome outcome = Outcome::error;
  std::string reason;  // why error or skipped; empty on pass
  std::string disk;
  std::string engine;
  bool interrupted = false;             // ended early because the run was interrupted
  double seconds = 0;                   // wall time of all its runs
  std::string started_at;               // ISO 8601, UTC, to the second
  std::vector<RunRecord> runs;          // empty when nothing was measured, and for a group
  std::optional<std::uint32_t> scored;  // position of the run that all metrics are of; absent: each by its own score
  PhaseMetrics metrics;                 // the scored metrics: with one run, that run's
  std::shared_ptr<const RunData> data;  // histograms and series of the runs that count, end to end; null: none measured
  std::optional<CommonWindow> common;   // of a group; its metrics and data are the sum over the whole run
  std::vector<Finding> findings;
  std::vector<ThresholdResult> thresholds;  // one per threshold of the job, whatever happened
  std::vector<IoErrorExample> io_errors;
  std::optional<StuckIo> stuck;
  std::string log_tail;  // last lines of the child's output; may be empty
};

struct RunReport {
  std::string tool_version;
  std::string started_at;  // ISO 8601, UTC
  double seconds = 0;
  Plan plan;
  std::string job_text;  // the job file as read
  Outcome outcome = Outcome::error;
  int exit_code = 2;
  std::string reason;  // of an ending that belongs to no phase: refused, interrupted
  HostFacts host;
  std::vector<DiskFacts> disks;
  std::vector<StepReport> preparation;
  std::vector<Finding> findings;  // of the whole run: nothing_gated
  std::vector<PhaseReport> phases;
};

}  // namespace diskproof
