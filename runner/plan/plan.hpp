// Everything that will happen, with every default resolved, as an immutable, printable value. The parent prints it,
// the phase's child executes it, the result embeds it: all three read the same JSON (plan/plan_json).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "job/job.hpp"

namespace diskproof {

struct PassedOver {  // an engine of a preference list that could not be used
  std::string name;
  std::string reason;
};

struct EnginePlan {
  std::string name;
  std::string version;
  std::string path;                            // absolute path of the shared library
  std::map<std::string, std::string> options;  // canonical, defaults filled in; secrets are references, never values
  std::vector<PassedOver> passed_over;
  bool sync = false;  // one I/O at a time per thread
  bool no_target = false;
  std::uint64_t wait_granularity = 0;  // ns
};

struct DiskPlan {
  std::string name;
  DiskKind kind = DiskKind::file;
  std::string path;            // file, directory, device: as given; loop: the image; mount, virtual: empty
  std::string mount_point;     // where the run mounts it; empty: it does not
  std::string work_path;       // of files: the mount point, or diskproof-<run> below a folder that is not the run's own
  std::uint64_t capacity = 0;  // virtual, loop: bytes
  std::optional<Share> share;  // mount
  std::optional<DeviceIdentity> identity;
  bool destroy = false;  // device: consent of the job
  std::optional<Filesystem> filesystem;
  std::vector<PrepareStep> prepare;
  LimitGroup throttle;
  bool keep = false, fill = false, overwrite = false;
  std::vector<LimitGroup> limits;
  std::vector<std::string> files;  // absolute paths that layout makes, in order; empty for virtual and raw devices
  std::uint64_t file_size = 0;     // bytes each, the largest that any phase needs
};

// The device itself is the target.
inline bool is_raw(const DiskPlan& disk) {
  return (disk.kind == DiskKind::device || disk.kind == DiskKind::loop) && !disk.filesystem;
}

struct TargetPlan {
  std::string spec;        // absolute path; the disk's name for virtual
  std::uint64_t size = 0;  // bytes that offsets may reach
  bool device = false;     // the path is of a device or image; the parent hands over its descriptor
};

struct RepeatPlan {
  std::uint32_t count = 1;     // runs
  std::uint64_t interval = 0;  // ns, idle before each but the first
  std::uint32_t discard = 0;   // so many first runs do not count
  Score score = Score::median;
  bool from_same_run = false;  // all metrics are those of the run whose bandwidth scored
};

// What a phase has to do with the proof that written data is there. A phase that stamps its writes keeps a map of them,
// from which the manifest is made when it has ended; a check reads what a manifest says was written.
struct VerifyPlan {
  bool write = false;
  double during = 0;          // write: percent of what was written that is read back meanwhile
  std::string of;             // check: the phase whose manifest it is; empty: of an earlier run
  std::string manifest;       // absolute path: where a writing phase leaves it, what a check reads
  std::string map;            // write: file in the run's state folder; phases with the same one go on with it
  std::uint64_t granule = 0;  // write: bytes, of which every write to the map is a multiple; of 512
};

// Blocks that the share `dedupe` of the writes is drawn from; each thread has them in memory.
inline constexpr std::uint64_t kRepeatedBlocks = 8;

// A group is no load of its own: it stands behind its phases, speaks for all of them and has no engine and no targets.
enum class PhaseKind { layout, precondition, measure, group, verify };

// The seed of run `run` (0, 1, …) of a phase: the first has the phase's own, each other one of its own.
constexpr std::uint64_t seed_of_run(std::uint64_t seed, std::uint32_t run) noexcept {
  if (run == 0) return seed;
  std::uint64_t z = seed + run * 0x9e3779b97f4a7c15u;  // splitmix64
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

struct PhasePlan {
  std::string name;  // as in the job; others are "layout/<disk>" and "<phase>/precondition/<access>"
  PhaseKind kind = PhaseKind::measure;
  std::string group;                 // whose phase it is; empty: none
  std::vector<std::string> members;  // group: names of its phases, which stand right before it
  bool parallel = false;             // group: they run at the same time; else in turns
  std::string disk;                  // group: of all its phases, else empty
  EnginePlan engine;
  std::vector<TargetPlan> targets;  // thread t works on targets[t % targets.size()]
  Access access = Access::sequential;
  double skew = 0;                 // zipf: exponent; pareto: share of the blocks that gets the rest of the operations
  std::vector<HotZone> hot_zones;  // hotspot: from the region's start
  bool shared = false;             // threads use the whole region instead of a stripe each
  OperationMix operations;
  Layout layout = Layout::written;
  std::uint64_t region_from = 0;  // inside each target, bytes
  std::uint64_t region_size = 0;
  std::uint64_t block_size = 4096;      // the largest of block_sizes, where there are several
  std::vector<BlockShare> block_sizes;  // empty: all alike; else at least two, ascending
  std::uint32_t queue_depth = 1;
  std::uint32_t threads = 1;
  std::uint32_t batch = 0;          // 0: auto
  std::vector<std::uint32_t> cpus;  // thread t is kept on cpus[t % cpus.size()]; empty: the system decides
  double rate = 0;                  // operations per second of the phase, started when they are due; 0: a closed loop
  Arrival arrival = Arrival::constant;
  std::uint64_t think_time = 0;  // ns that a place in the queue stays empty after each completion
  bool direct = true;
  Durability sync = Durability::none;
  FlushRule fsync;
  DataShape data;
  std::uint64_t seed = 0;           // always set: chosen by the planner where the job gives none; see seed_of_run
  std::uint64_t pause = 0;          // ns of idling before it
  std::uint64_t warmup = 0;         // ns
  std::uint64_t interval_grid = 0;  // ns
  StopRule stop;
  std::uint64_t timeout = 0;     // ns, each run from go; group: from its start to its end, 0: none
  std::uint64_t io_timeout = 0;  // ns
  std::uint64_t max_errors = 0;  // of each run
  RepeatPlan repeat;
  VerifyPlan verify;               // kind verify: reads only what was written; its region and its stop rule are bounds
  std::vector<LimitGroup> limits;  // disk's and phase's merged
  std::vector<Threshold> thresholds;
  std::vector<std::string> aborts;            // METRIC OP VALUE for DURATION
  std::vector<std::uint64_t> latency_bounds;  // ns, ascending: bounds of `for N% of intervals` latency thresholds
  std::map<std::string, Severity> findings;   // overrides
  std::vector<std::string> needs;             // names of earlier phases whose data this one needs
  std::vector<std::string> required;          // names of earlier phases that must have ended without fail or error
  bool optional = false;                      // what this machine lacks skips it
  std::string skip;                           // why it is left out; empty: it is run
};

struct Plan {
  std::string job_file, job_name, description;
  std::map<std::string, std::string> labels;
  std::string run_id;   // unique per run: names work folders
  std::string out_dir;  // absolute
  std::string tool_version;
  bool smoke = false;              // a short run of everything: thresholds decide nothing
  std::uint64_t timeout = 0;       // ns for the whole job; 0: none
  std::uint64_t max_written = 0;   // bytes that all phases may write; 0: any
  std::uint64_t memory_limit = 0;  // bytes of I/O buffers
  std::vector<DiskPlan> disks;
  std::vector<PhasePlan> phases;  // in order of execution
};

}  // namespace diskproof
