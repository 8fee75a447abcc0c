// What a job file says, as plain values: units parsed, `defaults` and groups inherited, `${…}` replaced. Nothing here
// knows YAML, the machine or an engine. Later stages find the line of a value through Job::source.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "job/device_identity.hpp"
#include "job/diagnostic.hpp"

namespace diskproof {

using Nanoseconds = std::chrono::nanoseconds;

// `size: 10GiB` or `size: 100%`; exactly one is set.
struct Extent {
  std::optional<std::uint64_t> bytes;
  std::optional<double> percent;  // 0 < percent <= 100
};

// One engine of the ordered preference; options as the job wrote them, checked against the manifest by the planner.
struct EngineChoice {
  std::string name;
  std::map<std::string, std::string> options;
};

// A set of limits that hold together; the flat entries of a disk are the group "".
struct LimitGroup {
  std::string name;
  std::map<std::string, double> values;  // "read.iops" (1/s), "total.bandwidth" (bytes/s)…
};

enum class DiskKind { file, directory, device, loop, mount, url, virtual_disk };

// A file system that is made on a device or loop, and how it is mounted. Arguments one by one; there is no shell.
struct Filesystem {
  std::string type;
  std::vector<std::string> mkfs_args, mount_options;
  std::string label;
};

// A share that the kernel mounts.
struct Share {
  std::string source, type;
  std::vector<std::string> options;
};

// A step of `prepare:`. The first group is of the device, before a file system is made; the second of the file system.
enum class PrepareKind { discard, secure_discard, wipe, scheduler, read_ahead, fstrim, owner, mode };
constexpr bool is_of_filesystem(PrepareKind kind) { return kind >= PrepareKind::fstrim; }

struct PrepareStep {
  PrepareKind kind = PrepareKind::discard;
  std::string value;  // scheduler: its name; read_ahead: KiB; owner: USER:GROUP; mode: octal digits
};

struct Disk {
  std::string name;
  DiskKind kind = DiskKind::file;
  std::string path;                        // file, directory, device, url; loop: the image
  bool url_is_file = false;                // url: the server says that it is no folder; known to the planner only
  std::optional<std::uint64_t> capacity;   // virtual, loop: bytes
  Share share;                             // mount
  std::optional<DeviceIdentity> identity;  // device
  bool destroy = false;                    // device: consent that what is on it is lost
  std::optional<Filesystem> filesystem;    // device, loop
  std::vector<PrepareStep> prepare;        // device, loop
  LimitGroup throttle;                     // device, loop: the kernel holds phases to it; its name is empty
  std::string subdirectory;                // directory, mount, url: below it
  bool fill = false;                       // may leave less than the free-space reserve
  bool keep = false;                       // files stay after the run
  bool overwrite = false;                  // a foreign file may be overwritten
  std::vector<EngineChoice> engines;
  std::vector<LimitGroup> limits;
};

// Files in a folder, one of each thread; else all threads work on one file or device.
inline bool holds_files(const Disk& disk) {
  const bool folder = disk.kind == DiskKind::url && !disk.url_is_file;
  return folder || disk.kind == DiskKind::directory || disk.kind == DiskKind::mount || disk.filesystem.has_value();
}
// The device itself is the target.
inline bool is_raw(const Disk& disk) {
  return (disk.kind == DiskKind::device || disk.kind == DiskKind::loop) && !disk.filesystem;
}

enum class Access { sequential, random, zipf, pareto, hotspot };

// Part of a hotspot access: this share of the blocks gets this share of the operations. Percent.
struct HotZone {
  double blocks = 0;
  double draws = 0;
};

// One of several block sizes, and its share of the operations in percent.
struct BlockShare {
  std::uint64_t size = 0;
  double percent = 0;
};
// Of an operation, in bytes; `size` where there are no shares.
inline double mean_block(std::uint64_t size, const std::vector<BlockShare>& shares) {
  if (shares.empty()) return static_cast<double>(size);
  double sum = 0;
  for (const BlockShare& share : shares) sum += static_cast<double>(share.size) * share.percent / 100;
  return sum;
}

enum class Layout { written, allocated, none };

// Shares of operations in percent; they sum to 100.
struct OperationMix {
  double read = 100;
  double write = 0;
  double trim = 0;
};

struct StopRule {
  enum class Kind { duration, bytes, operations } kind = Kind::duration;
  std::uint64_t value = 0;  // nanoseconds, bytes or operations, by kind; > 0
};

struct RateValue {
  double number = 0;      // 1/s or bytes/s; of_limit: percent
  bool of_limit = false;  // a share of the tightest limit
};

enum class Arrival { constant, poisson };

// An open loop. Exactly one of iops and bandwidth is set.
struct LoadRate {
  std::optional<RateValue> iops;
  std::optional<RateValue> bandwidth;
  Arrival arrival = Arrival::constant;
};

// What each write waits for: nothing, its data on the medium, or the metadata of the file too.
enum class Durability { none, dsync, sync };

// Flushes that are part of the load.
struct FlushRule {
  std::uint64_t every = 0;  // writes of a thread, acknowledged, from one flush to the next; 0: none between
  bool end = false;         // one of each thread when its load has ended, inside the window
  bool data_only = false;   // fdatasync instead of fsync

  [[nodiscard]] bool wanted() const { return every > 0 || end; }
};

// What written data is like, in percent.
struct DataShape {
  double compressible = 0;  // zeros in every sector, the rest is random
  double dedupe = 0;        // writes whose block is one of a few that come again and again
};

enum class Severity { ignore, warn, error };  // of a finding

struct Threshold {
  std::string check;  // METRIC OP VALUE …, compiled by the planner
  bool warn = false;  // severity: warn
};

// What a metric of a phase comes to when the phase runs several times: of its values in the runs that count. `best` is
// the max of what should be high and the min of what should be low; the median where neither is better.
enum class Score { median, mean, max, min, best };

struct Repeat {
  std::uint32_t count = 1;    // runs
  Nanoseconds interval{0};    // idle before each but the first
  std::uint32_t discard = 0;  // so many first runs are kept, but do not count
  Score score = Score::median;
  bool from_same_run = false;  // all metrics are those of the run whose bandwidth scored
};

struct Region {
  Extent from{.bytes = 0, .percent = {}};
  std::optional<Extent> size;  // absent: to the end
};

// Fills of the region before a phase: so many times in order, then so many times in random order.
struct Precondition {
  std::uint64_t sequential = 0;
  std::uint64_t random = 0;
  std::uint64_t block_size = std::uint64_t{128} << 10;
};

// What a phase has to do with the proof that written data is there: it stamps what it writes, or it is a check of what
// was written (`of` or `manifest` is set).
struct Verify {
  bool write = false;
  double during = 0;       // write: percent of what was written that is read back meanwhile
  std::string of;          // an earlier phase, a matrix or a group of them
  std::string manifest;    // of an earlier run, relative to the job file
  bool any_depth = false;  // a check whose queue_depth is not said: what it is, or less where the engine holds less

  [[nodiscard]] bool checks() const { return !of.empty() || !manifest.empty(); }
};

struct Phase {
  std::string path;  // where it stands: "phases[1]", "phases[1].parallel[0]"
  std::string name;
  std::string group;  // whose phase it is; empty: none
  std::string disk;
  std::optional<Extent> size;          // per file; a virtual disk defaults to 100%
  std::optional<std::uint32_t> files;  // directory: that its threads share in turns; absent: one of each thread
  Region region;
  std::optional<Layout> layout;  // absent: written, on virtual disks none
  Access access = Access::sequential;
  double skew = 0;                 // zipf: exponent; pareto: share of the blocks that gets the rest of the operations
  std::vector<HotZone> hot_zones;  // hotspot
  bool shared = false;             // threads use the whole region instead of a stripe each
  OperationMix operations;
  std::uint64_t block_size = 4096;      // the largest of block_sizes, where there are several
  std::vector<BlockShare> block_sizes;  // empty: all alike; else ascending
  std::uint32_t queue_depth = 1;        // per thread
  std::uint32_t threads = 1;
  std::uint32_t batch = 0;          // I/Os per submit call; 0: auto
  std::vector<std::uint32_t> cpus;  // that threads are kept on, in turns; empty: the system decides
  std::optional<LoadRate> rate;     // absent: a closed loop
  Nanoseconds think_time{0};        // that a place in the queue stays empty after each completion
  Durability sync = Durability::none;
  FlushRule fsync;
  DataShape data;
  std::vector<EngineChoice> engines;
  bool direct = true;
  std::optional<std::uint64_t> seed;
  Nanoseconds pause{0};  // idle before it
  std::optional<Precondition> precondition;
  bool only_precondition = false;  // has no stop rule: it is its fills
  Nanoseconds warmup{0};
  std::optional<Nanoseconds> sample;  // interval grid; absent: 1 s, 100 ms for phases up to 10 s
  StopRule stop;
  std::optional<Nanoseconds> timeout;
  Nanoseconds io_timeout = std::chrono::seconds(60);
  std::uint64_t max_errors = 0;  // of each run
  Repeat repeat;
  Verify verify;
  std::vector<LimitGroup> limits;  // merged over the disk's
  std::vector<Threshold> thresholds;
  std::vector<std::string> aborts;  // METRIC OP VALUE for DURATION: ends the phase as failed
  std::map<std::string, Severity> findings;
  bool optional = false;              // what this machine lacks skips it
  std::vector<std::string> required;  // phases that must have ended without fail or error
};

// Phases that run at the same time, or in turns: A B A B. How often they take turns is each one's `repeat`.
struct Group {
  std::string path;  // "phases[1]"
  std::string name;
  bool rounds = false;              // in turns
  std::vector<std::size_t> phases;  // positions in Job::phases, one after the other
  std::optional<Nanoseconds> timeout;
  std::vector<Threshold> thresholds;  // of the time that parallel phases have in common
  std::map<std::string, Severity> findings;
};

struct Job {
  std::string file;  // as named on the command line
  std::string name;
  std::string description;
  std::map<std::string, std::string> labels;
  std::vector<Disk> disks;    // in file order
  std::vector<Phase> phases;  // in file order, those of groups too
  std::vector<Group> groups;  // in file order
  std::optional<Nanoseconds> timeout;
  std::optional<std::uint64_t> max_written;   // bytes that all phases may write
  std::optional<std::uint64_t> memory_limit;  // bytes of I/O buffers
  SourceMap source;
};

}  // namespace diskproof
