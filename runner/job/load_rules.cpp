// Rules between the keys that say how the load of a phase is made: its batches and CPUs, its rate and thinking, what it
// writes and how durably. Each is silent when a value it needs could not be read.
#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>
#include <utility>

#include "job/job_validator.hpp"

namespace diskproof {
namespace {

class LoadRules {
 public:
  LoadRules(const Job& job, const Phase& phase, ParseContext& context)
      : job_(job), phase_(phase), path_(phase.path), context_(context) {
    const auto found =
        std::find_if(job.disks.begin(), job.disks.end(), [this](const Disk& disk) { return disk.name == phase_.disk; });
    const bool known =
        found != job.disks.end() && !context.unusable.contains(child_path(child_path("disks", found->name), "kind"));
    if (known) disk_ = &*found;
  }

  void check() {
    check_batch();
    check_cpus();
    if (phase_.verify.checks()) return;
    check_rate();
    check_think_time();
    check_sync();
    check_flushes();
    check_data();
    check_trimmed();
  }

 private:
  [[nodiscard]] bool usable(std::initializer_list<std::string_view> keys) const {
    return std::none_of(keys.begin(), keys.end(),
                        [this](std::string_view key) { return context_.unusable.contains(child_path(path_, key)); });
  }

  void error(std::string_view key, std::string message, std::string hint) {
    const std::string path = child_path(path_, key);
    context_.error(job_.source.find(path), path, std::move(message), std::move(hint));
  }

  // Said by the phase itself: what it inherits may have no meaning for it, and harms nothing.
  [[nodiscard]] bool is_own(std::string_view key) const {
    const Location here = job_.source.find(child_path(path_, key));
    const Location there = job_.source.find(child_path("defaults", key));
    return here.line != there.line || here.column != there.column;
  }

  [[nodiscard]] bool writes_nothing() const { return usable({"operations"}) && phase_.operations.write <= 0; }

  void check_rate() {
    if (!usable({"rate"}) || !phase_.rate) return;
    for (const auto& [key, value] :
         {std::pair{"rate.iops", phase_.rate->iops}, std::pair{"rate.bandwidth", phase_.rate->bandwidth}}) {
      if (value && usable({key}) && value->number <= 0) error(key, "is zero", "leave `rate` out for a closed loop");
    }
  }

  void check_batch() {
    if (!usable({"batch", "queue_depth"}) || phase_.only_precondition || phase_.batch <= phase_.queue_depth) return;
    error("batch",
          fmt::format("calls of {} operations cannot be made with queue_depth {}, the most in flight", phase_.batch,
                      phase_.queue_depth),
          fmt::format("use batch: {}, batch: auto, or queue_depth: {}", phase_.queue_depth, phase_.batch));
  }

  void check_cpus() {
    if (!usable({"cpus"})) return;
    std::vector<std::uint32_t> sorted = phase_.cpus;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) error("cpus", fmt::format("CPU {} is listed twice", *twice), "list each CPU once");
  }

  void check_think_time() {
    if (!usable({"think_time"}) || phase_.think_time.count() == 0) return;
    if (usable({"rate"}) && phase_.rate) {
      return error("think_time", "says when operations start, and so does rate", "keep one of the two");
    }
    const bool by_clock = usable({"stop"}) && phase_.stop.kind == StopRule::Kind::duration;
    if (by_clock && static_cast<std::uint64_t>(phase_.think_time.count()) >= phase_.stop.value) {
      error("think_time", "is not shorter than the duration, so no place in the queue would be used twice",
            "use a shorter one");
    }
  }

  void check_sync() {
    if (!usable({"sync"}) || phase_.sync == Durability::none) return;
    if (writes_nothing() && is_own("sync")) {
      return error("sync", "the phase writes nothing that could be made durable", "remove it, or write");
    }
    if (disk_ != nullptr && disk_->kind == DiskKind::virtual_disk && is_own("sync")) {
      error("sync", "has no meaning on a virtual disk, which opens no file",
            "use `fsync`, which engines are asked for");
    }
  }

  void check_flushes() {
    if (!usable({"fsync", "fsync.every", "fsync.end", "fsync.data_only"}) || !phase_.fsync.wanted()) return;
    if (writes_nothing()) {
      if (is_own("fsync")) error("fsync", "the phase writes nothing that could be flushed", "remove it, or write");
      return;
    }
    if (usable({"sync"}) && phase_.sync == Durability::sync) {
      error("fsync", "sync: sync makes every write durable before it is acknowledged, so a flush would find nothing",
            "keep one of the two");
    } else if (usable({"sync"}) && phase_.sync == Durability::dsync && phase_.fsync.data_only) {
      error("fsync", "sync: dsync makes the data of every write durable already, so fdatasync would find nothing",
            "keep one of the two, or flush metadata too with data_only: false");
    } else {
      check_flush_count();
    }
  }

  // A count of operations may end before the first flush of any thread.
  void check_flush_count() {
    const bool counts = usable({"stop", "operations"}) && phase_.stop.kind == StopRule::Kind::operations;
    if (!counts || phase_.fsync.end || phase_.threads == 0) return;
    const std::uint64_t most = (phase_.stop.value + phase_.threads - 1) / phase_.threads;
    if (phase_.fsync.every <= most) return;
    error(
        "fsync.every",
        fmt::format("a thread does at most {} operations of {}, so no flush would ever come", most, phase_.stop.value),
        "use a smaller number, or end: true");
  }

  void check_data() {
    if (!usable({"data", "data.compressible", "data.dedupe"})) return;
    const auto [compressible, dedupe] = phase_.data;
    if (compressible <= 0 && dedupe <= 0) return;
    for (const auto& [key, share] : {std::pair{"data.compressible", compressible}, {"data.dedupe", dedupe}}) {
      if (share > 100) return error(key, fmt::format("{:g}% is more than the whole", share), {});
    }
    if (compressible >= 100 && dedupe > 0) {
      return error("data.dedupe", "data that is compressible by 100% is all zeros, and all the same",
                   "remove it, or lower compressible");
    }
    const bool lays_out = disk_ == nullptr || phase_.layout == Layout::written ||
                          (!phase_.layout && disk_->kind != DiskKind::virtual_disk);
    if (writes_nothing() && usable({"layout"}) && !lays_out && is_own("data")) {
      error("data", "the phase writes nothing, and no layout is written for it", "remove it, or use layout: written");
    }
  }

  // What an earlier phase trimmed, or one of the same group, is not there to be read.
  void check_trimmed() {
    if (disk_ == nullptr || disk_->kind == DiskKind::virtual_disk) return;
    if (!usable({"operations"}) || phase_.operations.read <= 0) return;
    for (const Phase& earlier : job_.phases) {
      const bool beside = !phase_.group.empty() && earlier.group == phase_.group && &earlier != &phase_;
      if (&earlier >= &phase_ && !beside) continue;
      const std::string operations = child_path(earlier.path, "operations");
      if (earlier.disk != phase_.disk || earlier.operations.trim <= 0 || context_.unusable.contains(operations))
        continue;
      return error("operations",
                   fmt::format("reads what phase '{}' trimmed: holes, which no disk has to look up", earlier.name),
                   beside ? "use another disk" : "put this phase before that one, or use another disk");
    }
  }

  const Job& job_;
  const Phase& phase_;
  const std::string path_;
  ParseContext& context_;
  const Disk* disk_ = nullptr;  // of a known kind
};

}  // namespace

void check_load(const Job& job, const Phase& phase, ParseContext& context) { LoadRules(job, phase, context).check(); }

}  // namespace diskproof
