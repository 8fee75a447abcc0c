// Rules of one phase. Each is silent when a value it needs could not be read.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <initializer_list>
#include <optional>
#include <utility>

#include "job/job_validator.hpp"
#include "job/sizes.hpp"
#include "support/counted.hpp"
#include "support/near_name.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kSmallestBlock = 512;
constexpr std::uint64_t kLargestExtent = std::uint64_t{1} << 62;  // room to round up and to add
constexpr Nanoseconds kShortestSample = std::chrono::milliseconds(1);
constexpr Nanoseconds kShortestIoTimeout = std::chrono::milliseconds(100);
constexpr std::uint64_t kLargestBlock = 1ull << 30;
constexpr Nanoseconds kDefaultSample = std::chrono::seconds(1);  // of durations above 10 s
constexpr std::int64_t kMostIntervals = 1'000'000;

class PhaseRules {
 public:
  PhaseRules(const Job& job, const Phase& phase, ParseContext& context)
      : job_(job), phase_(phase), path_(phase.path), context_(context) {
    const auto found =
        std::find_if(job.disks.begin(), job.disks.end(), [this](const Disk& disk) { return disk.name == phase_.disk; });
    if (found != job.disks.end()) disk_ = &*found;
    kind_known_ = disk_ != nullptr && !context.unusable.contains(child_path(child_path("disks", disk_->name), "kind"));
  }

  void check() {
    check_disk();
    if (phase_.verify.checks()) return check_reader();
    const std::size_t before = context_.diagnostics.size();
    check_block();
    check_files();
    check_size();
    check_region();
    if (context_.diagnostics.size() == before) check_stripes();
    check_operations();
    check_shared();
    check_engine();
    check_stop();
    check_times();
    check_limits();
  }

 private:
  // Of a check, whose load is what was written.
  void check_reader() {
    check_engine();
    check_times();
    check_limits();
  }

  [[nodiscard]] bool usable(std::initializer_list<std::string_view> keys) const {
    return std::none_of(keys.begin(), keys.end(),
                        [this](std::string_view key) { return context_.unusable.contains(child_path(path_, key)); });
  }

  void error(std::string_view key, std::string message, std::string hint) {
    const std::string path = key.empty() ? path_ : child_path(path_, key);
    context_.error(job_.source.find(path), path, std::move(message), std::move(hint));
  }

  [[nodiscard]] bool on(DiskKind kind) const { return kind_known_ && disk_->kind == kind; }

  void check_disk() {
    if (disk_ != nullptr || !usable({"disk"})) return;
    std::vector<std::string> names;
    std::string known;
    for (const Disk& disk : job_.disks) {
      names.push_back(disk.name);
      known += (known.empty() ? "" : ", ") + disk.name;
    }
    if (names.empty() || context_.unusable.contains("disks")) return;
    if (phase_.disk.empty()) return error("disk", "the phase names no disk", "disks of this job: " + known);
    const std::string nearest = nearest_name(phase_.disk, names);
    error("disk", fmt::format("'{}' is not a disk of this job", phase_.disk),
          nearest.empty() ? "disks of this job: " + known : fmt::format("did you mean {}?", nearest));
  }

  void check_block() {
    if (!usable({"block_size"})) return;
    if (phase_.block_sizes.empty()) return check_block(phase_.block_size);
    for (const BlockShare& share : phase_.block_sizes) check_block(share.size);
  }

  void check_block(std::uint64_t block) {
    if (block < kSmallestBlock || block > kLargestBlock) {
      return error("block_size", fmt::format("{} is outside 512B to 1GiB", format_bytes(block)), {});
    }
    if (usable({"direct"}) && phase_.direct && block % kSmallestBlock != 0) {
      const std::uint64_t below = block / kSmallestBlock * kSmallestBlock;
      error("block_size", fmt::format("{} bytes cannot be used with direct I/O, which takes multiples of 512B", block),
            fmt::format("write {}B or {}B, or direct: false", below, below + kSmallestBlock));
    }
  }

  void check_files() {
    if (!usable({"files", "files.count"}) || !phase_.files || !kind_known_) return;
    if (!holds_files(*disk_)) {
      return error("files", "belongs to a disk with a folder; this one is one file to all threads", "remove it");
    }
    if (!usable({"threads"}) || *phase_.files <= phase_.threads) return;
    error("files.count",
          fmt::format("{} threads cannot work on {} files: each has one at a time", phase_.threads, *phase_.files),
          fmt::format("use threads: {}, or fewer files", *phase_.files));
  }

  void check_size() {
    if (!usable({"size"})) return;
    if (!phase_.size) {
      if (kind_known_ && disk_->kind != DiskKind::virtual_disk) {
        error("size", "is missing", "say how much of the file is used, for example size: 1GiB");
      }
      return;
    }
    check_extent("size", *phase_.size, true);
    if (on(DiskKind::mount) && phase_.size->percent) {
      error("size", "is a share of a file system that is not mounted yet", "write bytes, such as 1GiB");
    }
    if (!kind_known_ || !phase_.size->bytes || !disk_->capacity || !usable({"files", "files.count", "threads"})) return;
    const std::uint64_t files = std::max(files_of(*disk_, phase_), 1u);
    if (*phase_.size->bytes <= *disk_->capacity / files) return;
    error("size",
          fmt::format("{}{} is more than the disk's {}", files == 1 ? "" : fmt::format("{} times ", files),
                      format_bytes(*phase_.size->bytes), format_bytes(*disk_->capacity)),
          {});
  }

  // At least one block and at most the whole.
  void check_extent(std::string_view key, const Extent& extent, bool above_zero) {
    if (extent.percent && *extent.percent > 100)
      return error(key, fmt::format("{}% is more than the whole", *extent.percent), {});
    if (extent.bytes && *extent.bytes > kLargestExtent)
      return error(key, fmt::format("{} is more than any file can have", format_bytes(*extent.bytes)), {});
    const bool zero = (extent.bytes && *extent.bytes == 0) || (extent.percent && *extent.percent <= 0);
    if (above_zero && zero) return error(key, "is zero", {});
    if (above_zero && extent.bytes && usable({"block_size"}) && *extent.bytes < phase_.block_size) {
      error(
          key,
          fmt::format("{} is less than one block of {}", format_bytes(*extent.bytes), format_bytes(phase_.block_size)),
          {});
    }
  }

  // The bytes of the phase's file, when the job tells.
  [[nodiscard]] std::optional<std::uint64_t> file_bytes() const {
    if (!usable({"size", "block_size"}) || disk_ == nullptr || phase_.block_size == 0) return std::nullopt;
    const bool of_disk = kind_known_ && disk_->capacity && !holds_files(*disk_);
    if (!of_disk && !(phase_.size && phase_.size->bytes)) return std::nullopt;
    return file_size_of(*disk_, phase_);
  }

  void check_region() {
    if (!usable({"region", "region.from", "region.size"})) return;
    const Region& region = phase_.region;
    check_extent("region.from", region.from, false);
    if (region.size) check_extent("region.size", *region.size, true);
    const auto whole = file_bytes();
    if (!whole) return;
    const Span span = region_of(phase_, *whole);
    if (span.from >= *whole && *whole > 0) return error("region.from", "is at or after the end of the file", {});
    if (region.size && span.size > *whole - span.from) {
      error("region.size",
            fmt::format("reaches beyond the file, which has {} after region.from", format_bytes(*whole - span.from)),
            {});
    }
  }

  // Threads that share a file have disjoint stripes of it, each at least one block.
  void check_stripes() {
    if (!usable({"threads", "files", "files.count", "block_size", "region", "region.from", "region.size"})) return;
    if (!kind_known_) return;
    const auto whole = file_bytes();
    if (!whole) return;
    if (*whole < phase_.block_size) {
      return error(phase_.size ? "size" : "block_size",
                   fmt::format("the disk has no whole block of {} for it", format_bytes(phase_.block_size)),
                   "use a larger disk or smaller blocks");
    }
    const std::uint64_t blocks = region_of(phase_, *whole).size / phase_.block_size;
    const bool whole_file = !phase_.region.size && phase_.region.from.bytes == std::uint64_t{0};
    if (blocks == 0 && !whole_file) {
      error("region", fmt::format("holds no whole block of {}", format_bytes(phase_.block_size)),
            "use a larger region or smaller blocks");
    } else if (const std::uint32_t sharers = sharers_of(*disk_, phase_); blocks < sharers) {
      error("threads", fmt::format("{} threads share {}; each needs one of its own", sharers, counted(blocks, "block")),
            "use fewer threads, a larger size or smaller blocks");
    }
  }

  void check_operations() {
    if (!usable({"operations"})) return;
    const OperationMix& mix = phase_.operations;
    const double sum = mix.read + mix.write + mix.trim;
    if (std::abs(sum - 100) > 0.01) {
      error("operations", fmt::format("the shares sum to {:g}%, not to 100%", sum), {});
    }
    // What is on a device already may be read as it is.
    const bool has_content = kind_known_ && (on(DiskKind::virtual_disk) || (on(DiskKind::device) && is_raw(*disk_)));
    if (usable({"layout"}) && phase_.layout == Layout::none && mix.read > 0 && kind_known_ && !has_content) {
      error("layout", "none with reads would read what was never written", "use layout: written");
    }
    if (usable({"layout"}) && phase_.layout == Layout::allocated && mix.read > 0) {
      error("layout", "allocated with reads would read what was never written", "use layout: written");
    }
  }

  void check_shared() {
    if (!usable({"shared"}) || !phase_.shared) return;
    if (kind_known_ && holds_files(*disk_) && usable({"files", "files.count", "threads"}) &&
        sharers_of(*disk_, phase_) < 2) {
      error("shared", "each thread has a file of its own here", "use a file disk, or fewer files");
    }
    if (usable({"access"}) && phase_.access == Access::sequential && !phase_.block_sizes.empty()) {
      error("shared", "threads that take blocks in turns need blocks of one size", "use one size, or access: random");
    }
  }

  void check_engine() {
    if (!usable({"engine"})) return;
    if (phase_.engines.empty()) {
      return error("engine", "is missing", "name one in the phase, its disk or defaults, for example engine: io_uring");
    }
    for (const EngineChoice& engine : phase_.engines) {
      const auto odd = [](char c) { return !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'); };
      if (!engine.name.empty() && std::any_of(engine.name.begin(), engine.name.end(), odd)) {
        error("engine", fmt::format("'{}' is not the name of an engine: small letters, digits and _", engine.name), {});
      }
    }
    if (phase_.engines.size() == 1 && phase_.engines[0].name == "sync" && usable({"queue_depth"}) &&
        phase_.queue_depth > 1 && !phase_.verify.any_depth) {
      error("queue_depth",
            fmt::format("engine sync does one I/O at a time and cannot hold a depth of {}", phase_.queue_depth),
            fmt::format("use threads: {}, or another engine", phase_.queue_depth));
    }
  }

  void check_stop() {
    if (!usable({"stop"}) || phase_.only_precondition) return;
    static constexpr std::string_view kKeys[]{"duration", "bytes", "operations_count"};
    const std::string_view key = kKeys[static_cast<std::size_t>(phase_.stop.kind)];
    if (phase_.stop.value == 0) return error(key, "is zero", {});
    if (phase_.stop.kind == StopRule::Kind::bytes && usable({"block_size"}) && phase_.stop.value < phase_.block_size) {
      error("bytes",
            fmt::format("{} is less than one block of {}", format_bytes(phase_.stop.value),
                        format_bytes(phase_.block_size)),
            {});
    }
  }

  void check_times() {
    const auto not_zero = [this](std::string_view key, const std::optional<Nanoseconds>& value) {
      if (usable({key}) && value && value->count() == 0) error(key, "is zero", {});
    };
    not_zero("sample", phase_.sample);
    if (usable({"sample"}) && phase_.sample && phase_.sample->count() > 0 && *phase_.sample < kShortestSample) {
      error("sample", "is shorter than 1ms, too short to hold a measurement", "use 1ms or more");
    }
    not_zero("timeout", phase_.timeout);
    not_zero("io_timeout", phase_.io_timeout);
    if (usable({"io_timeout"}) && phase_.io_timeout.count() > 0 && phase_.io_timeout < kShortestIoTimeout) {
      error("io_timeout", "is shorter than 100ms, the time between two looks at what is in flight",
            "use 100ms or more");
    }
    if (!usable({"stop"}) || phase_.only_precondition || phase_.stop.kind != StopRule::Kind::duration) return;
    const Nanoseconds duration(static_cast<std::int64_t>(phase_.stop.value));
    if (usable({"sample"}) && phase_.sample && phase_.sample->count() > 0) {
      if (*phase_.sample > duration) error("sample", "is longer than the duration", {});
      if (duration.count() / phase_.sample->count() > kMostIntervals) {
        error("sample", fmt::format("gives more than {} intervals", kMostIntervals), "use a longer one");
      }
    }
    if (usable({"sample"}) && !phase_.sample && duration / kDefaultSample > kMostIntervals) {
      error("duration", fmt::format("gives more than {} intervals of 1s", kMostIntervals), "add a longer `sample`");
    }
    if (usable({"timeout", "warmup"}) && phase_.timeout && phase_.timeout->count() > 0 &&
        *phase_.timeout - phase_.warmup <= duration) {
      error("timeout", "is not longer than warmup and duration together, so the phase could never end well",
            "make it longer");
    }
  }

  // The disk's own limits are checked with the disk.
  void check_limits() {
    for (const auto& [key, value] : flat_limits(phase_.limits)) {
      const std::string path = child_path(child_path(path_, "limits"), key);
      const std::string of_disk = child_path(child_path(child_path("disks", phase_.disk), "limits"), key);
      const Location here = job_.source.find(path);
      const Location there = job_.source.find(of_disk);
      const bool inherited = here.line == there.line && here.column == there.column;
      if (value <= 0 && !inherited) context_.error(here, path, "is zero", "leave it out where there is no limit");
    }
  }

  const Job& job_;
  const Phase& phase_;
  std::string path_;
  ParseContext& context_;
  const Disk* disk_ = nullptr;
  bool kind_known_ = false;
};

}  // namespace

void check_phase(const Job& job, const Phase& phase, ParseContext& context) { PhaseRules(job, phase, context).check(); }

}  // namespace diskproof
