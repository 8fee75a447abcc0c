// Rules of one phase that stamps what it writes or checks it. What phases do to each other's data is a matter of their
// order: plan/verify_order.
#include <algorithm>
#include <fmt/format.h>

#include "job/job_validator.hpp"
#include "job/phase_names.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kSector = 512;  // the smallest that has a stamp

class VerifyRules {
 public:
  VerifyRules(const Job& job, const Phase& phase, ParseContext& context)
      : job_(job), index_(static_cast<std::size_t>(&phase - job.phases.data())), phase_(phase), context_(context) {}

  void check() {
    if (context_.unusable.contains(child_path(phase_.path, "verify"))) return;
    if (phase_.verify.checks() && phase_.repeat.discard > 0) {
      error("repeat.discard", "every run of a check counts: what one finds is a fault, whatever the others find",
            "give the check `repeat: {discard: 0}`");
    }
    if (phase_.verify.write) check_writer();
    if (!phase_.verify.of.empty()) check_named();
    if (!phase_.verify.manifest.empty()) check_other_run();
  }

 private:
  [[nodiscard]] bool usable(std::string_view key) const {
    const std::string at = child_path(phase_.path, key);
    const auto first = context_.unusable.lower_bound(at);
    return first == context_.unusable.end() || !first->starts_with(at);
  }

  void error(std::string_view key, std::string message, std::string hint) {
    const std::string path = child_path(phase_.path, key);
    context_.error(job_.source.find(path), path, std::move(message), std::move(hint));
  }

  [[nodiscard]] bool on_virtual_disk() const {
    const auto disk = std::ranges::find(job_.disks, phase_.disk, &Disk::name);
    return disk != job_.disks.end() && disk->kind == DiskKind::virtual_disk;
  }

  // What an earlier run wrote must be there still.
  void check_other_run() {
    if (on_virtual_disk()) {
      return error("verify.manifest", "a virtual disk keeps nothing from one run to the next",
                   "check it in the run that writes, with verify: {of: PHASE}");
    }
    const auto disk = std::ranges::find(job_.disks, phase_.disk, &Disk::name);
    if (disk == job_.disks.end() || (!disk->filesystem && disk->prepare.empty())) return;
    error("verify.manifest",
          fmt::format("disk {} is formatted or prepared by this run, so nothing of another one is on it", disk->name),
          "mount it yourself and use a directory disk, or use a disk that is not prepared");
  }

  void check_writer() {
    if (phase_.only_precondition) {
      return error("verify", "a phase that only fills its region stamps nothing", "add a stop rule and operations");
    }
    if (usable("operations") && phase_.operations.write <= 0) {
      error("verify", "the phase writes nothing that could be stamped", "let it write, or remove verify");
    }
    check_blocks();
    if (!usable("data")) return;
    if (phase_.data.dedupe > 0 || phase_.data.compressible > 0) {
      error("data", "stamped blocks are random and each of its own kind, so they neither dedupe nor compress",
            "remove it, or verify in another phase");
    }
  }

  // Stamps are in sectors, and every write covers whole ones.
  void check_blocks() {
    if (usable("block_size")) {
      std::vector<std::uint64_t> sizes{phase_.block_size};
      for (const BlockShare& share : phase_.block_sizes) sizes.push_back(share.size);
      const auto odd = std::ranges::find_if(sizes, [](std::uint64_t size) { return size % kSector != 0; });
      if (odd != sizes.end())
        error("block_size", fmt::format("{} bytes are not whole sectors of 512B, which are stamped", *odd),
              "use multiples of 512B");
    }
    const auto from = phase_.region.from.bytes;
    if (usable("region") && from && *from % kSector != 0) {
      error("region.from", fmt::format("byte {} is inside a sector of 512B, which are stamped", *from),
            "use a multiple of 512B");
    }
  }

  void check_named() {
    const std::string& name = phase_.verify.of;
    const std::vector<std::size_t> named = phases_named(job_, name);
    if (named.empty()) {
      return error("verify.of", fmt::format("'{}' is not a phase of this job", name), phase_name_hint(job_, name));
    }
    const auto stamps = [&](std::size_t other) { return job_.phases[other].verify.write; };
    const auto writer = std::ranges::find_if(named, stamps);
    for (const std::size_t other : named) {
      if (other == index_) return error("verify.of", fmt::format("'{}' is the phase itself", name), "name a writer");
    }
    if (writer == named.end()) {
      const auto unread = [&](std::size_t other) {
        return context_.unusable.contains(child_path(job_.phases[other].path, "verify"));
      };
      if (std::ranges::any_of(named, unread)) return;
      return error("verify.of", fmt::format("phase '{}' does not stamp what it writes", name),
                   "add verify: write to it");
    }
    check_order(name, *writer);
  }

  void check_order(const std::string& name, std::size_t writer) {
    const Phase& other = job_.phases[writer];
    const bool together = !phase_.group.empty() && other.group == phase_.group;
    const auto group = std::ranges::find(job_.groups, phase_.group, &Group::name);
    if (together && group != job_.groups.end() && !group->rounds) {
      return error("verify.of", fmt::format("'{}' runs at the same time", name), "check behind the group");
    }
    if (writer > index_) {
      return error("verify.of", fmt::format("'{}' runs after this phase", name),
                   "name an earlier phase, or move this one behind it");
    }
    const bool elsewhere = other.disk != phase_.disk;
    const auto disk = std::ranges::find(job_.disks, other.disk, &Disk::name);
    const bool unreachable = disk != job_.disks.end() && disk->kind == DiskKind::virtual_disk;
    if (elsewhere && usable("disk") && (unreachable || on_virtual_disk())) {
      error("disk",
            fmt::format("phase '{}' writes to disk {}, and a virtual disk has nothing of another", name, other.disk),
            "use disk: " + other.disk);
    }
  }

  const Job& job_;
  const std::size_t index_;
  const Phase& phase_;
  ParseContext& context_;
};

}  // namespace

void check_verify(const Job& job, const Phase& phase, ParseContext& context) {
  VerifyRules(job, phase, context).check();
}

}  // namespace diskproof
