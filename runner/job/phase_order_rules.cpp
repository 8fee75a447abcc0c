// Rules of what surrounds a phase: what it waits for, what fills its region before it, what it requires.
#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "job/job_validator.hpp"
#include "job/phase_names.hpp"
#include "job/sizes.hpp"

namespace diskproof {
namespace {

class OrderRules {
 public:
  OrderRules(const Job& job, const Phase& phase, ParseContext& context)
      : job_(job),
        index_(static_cast<std::size_t>(&phase - job.phases.data())),
        phase_(phase),
        path_(phase.path),
        context_(context) {}

  void check() {
    for (std::size_t i = 0; i < phase_.required.size(); ++i) check_required(i);
    if (phase_.precondition && usable("precondition")) check_precondition(*phase_.precondition);
    if (phase_.only_precondition) check_alone();
  }

 private:
  [[nodiscard]] bool usable(std::string_view key) const {
    const std::string at = child_path(path_, key);
    const auto first = context_.unusable.lower_bound(at);
    return first == context_.unusable.end() || !first->starts_with(at);
  }

  void error(const std::string& path, std::string message, std::string hint) {
    context_.error(job_.source.find(path), path, std::move(message), std::move(hint));
  }

  void check_required(std::size_t number) {
    const std::string& name = phase_.required[number];
    const std::string path = child_path(child_path(path_, "requires"), number);
    const std::vector<std::size_t> named = phases_named(job_, name);
    if (named.empty()) {
      if (!name.empty()) error(path, fmt::format("'{}' is not a phase of this job", name), phase_name_hint(job_, name));
      return;
    }
    for (const std::size_t other : named) {
      if (other == index_) return error(path, fmt::format("'{}' is the phase itself", name), "name an earlier phase");
      if (!phase_.group.empty() && job_.phases[other].group == phase_.group) {
        return error(path, fmt::format("'{}' is of the same group", job_.phases[other].name),
                     "name a phase that runs before the group");
      }
      if (other > index_) {
        return error(path, fmt::format("'{}' runs after this phase", job_.phases[other].name),
                     "name an earlier phase, or move this one behind it");
      }
    }
  }

  void check_precondition(const Precondition& fills) {
    const std::string path = child_path(path_, "precondition");
    if (fills.sequential == 0 && fills.random == 0) error(path, "fills nothing", "say sequential or random: 1 or more");
    constexpr std::uint64_t kLeast = 512, kMost = std::uint64_t{1} << 30;
    const std::string block = child_path(path, "block_size");
    if (fills.block_size < kLeast || fills.block_size > kMost) {
      error(block, fmt::format("{} is outside 512B to 1GiB", format_bytes(fills.block_size)), {});
    } else if (phase_.direct && fills.block_size % kLeast != 0) {
      error(block,
            fmt::format("{} bytes cannot be used with direct I/O, which takes multiples of 512B", fills.block_size),
            "write a multiple of 512B, or direct: false");
    } else if (phase_.size && phase_.size->bytes && *phase_.size->bytes > 0 && fills.block_size > *phase_.size->bytes) {
      error(block,
            fmt::format("{} is more than the phase's size of {}", format_bytes(fills.block_size),
                        format_bytes(*phase_.size->bytes)),
            "use smaller blocks");
    } else if (const auto region = region_bytes(); region && fills.block_size > *region) {
      error(block,
            fmt::format("{} is more than the phase's region of {}", format_bytes(fills.block_size),
                        format_bytes(*region)),
            "use smaller blocks");
    }
    if (phase_.layout == Layout::allocated && usable("layout")) {
      error(child_path(path_, "layout"), "allocated would be filled by `precondition`", "use layout: written");
    }
  }

  // As far as the job tells, and all of it is right.
  [[nodiscard]] std::optional<std::uint64_t> region_bytes() const {
    for (const std::string_view key : {"size", "block_size", "region", "region.from", "region.size"}) {
      if (!usable(key)) return std::nullopt;
    }
    const auto disk = std::ranges::find(job_.disks, phase_.disk, &Disk::name);
    const bool known = (phase_.size && phase_.size->bytes) || (disk != job_.disks.end() && disk->capacity);
    if (disk == job_.disks.end() || !known || phase_.block_size == 0) return std::nullopt;
    const std::uint64_t whole = file_size_of(*disk, phase_);
    const Span region = region_of(phase_, whole);
    const bool inside = region.from < whole && region.size <= whole - region.from && region.size >= phase_.block_size;
    return inside ? std::optional(region.size) : std::nullopt;
  }

  // A phase that is its fills measures nothing of its own.
  void check_alone() {
    if (!phase_.group.empty()) {
      return error(path_, "has no stop rule, so it only fills its region, which a phase of a group cannot",
                   "add a stop rule, or fill the region before the group");
    }
    const auto refuse = [&](std::string_view key, bool given) {
      if (given)
        error(child_path(path_, key), "has no meaning in a phase that only fills its region",
              "remove it, or add a stop rule");
    };
    refuse("thresholds", !phase_.thresholds.empty() && own("thresholds"));
    refuse("abort", !phase_.aborts.empty() && own("abort"));
    refuse("rate", phase_.rate.has_value() && own("rate"));
  }

  // Not inherited: what `defaults` say is meant for other phases.
  [[nodiscard]] bool own(std::string_view key) const {
    const Location here = job_.source.find(child_path(path_, key));
    const Location there = job_.source.find(child_path("defaults", key));
    return here.line != there.line || here.column != there.column;
  }

  const Job& job_;
  const std::size_t index_;
  const Phase& phase_;
  const std::string path_;
  ParseContext& context_;
};

}  // namespace

void check_phase_order(const Job& job, const Phase& phase, ParseContext& context) {
  OrderRules(job, phase, context).check();
}

}  // namespace diskproof
