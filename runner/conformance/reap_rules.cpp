// reap: bounded by its timeout, by max, by what is there; and the stamps that it returns.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <vector>

#include "conformance/rig.hpp"
#include "conformance/rule.hpp"
#include "conformance/timing.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kBlock = 4096;
constexpr int kAttempts = 7;

std::string ms(std::uint64_t ns) { return fmt::format("{:.1f} ms", static_cast<double>(ns) / 1e6); }

dp_op some_op(const Subject& subject) { return subject.supports(DP_OP_READ) ? DP_OP_READ : DP_OP_WRITE; }

std::uint64_t granularity(const Subject& subject) { return subject.library().manifest().wait_granularity_ns; }

// One I/O for every tag.
std::vector<dp_io> full(const Subject& subject, const Rig& rig, std::uint32_t depth, std::uint64_t block) {
  std::vector<dp_io> ios;
  for (std::uint32_t tag = 0; tag < depth; ++tag) ios.push_back(rig.io(some_op(subject), tag, tag * block));
  return ios;
}

std::string min_zero(Subject& subject) {
  Rig rig(subject, "data", subject.depth() * kBlock, {.depth = subject.depth()});
  constexpr std::uint64_t kTimeout = 300 * kMillisecond;
  const std::uint64_t bound = machine_slack();
  const std::vector<dp_io> ios = full(subject, rig, subject.depth(), kBlock);
  const auto nothing = [&] { rig.drain(); };
  const auto busy = [&] {
    rig.drain();
    rig.submit(ios);
  };
  const auto reap = [&] { rig.reap(1, 0, kTimeout); };
  const std::uint64_t empty = shortest(3, bound, nothing, reap);
  if (empty > bound)
    throw Violation(fmt::format("reap with min 0 on an empty queue took {} in the best of 3 attempts", ms(empty)));
  const std::uint64_t loaded = shortest(3, bound, busy, reap);
  if (loaded > bound)
    throw Violation(fmt::format("reap with min 0 and I/O in flight took {} in the best of 3 attempts", ms(loaded)));
  rig.drain();
  return "";
}

std::string timeout(Subject& subject) {
  Rig rig(subject, "data", kBlock, {});
  constexpr std::uint64_t kTimeout = 10 * kMillisecond;
  const std::uint64_t slack = machine_slack();
  const std::uint64_t bound = kTimeout + granularity(subject) + slack;
  const std::uint64_t best = shortest(kAttempts, bound, [&] { rig.reap(4, 1, kTimeout); });
  if (best > bound)
    throw Violation(
        fmt::format("reap with nothing in flight and a timeout of {} took {} in the best of {} attempts; the manifest "
                    "allows {} more, this machine {}",
                    ms(kTimeout), ms(best), kAttempts, ms(granularity(subject)), ms(slack)));
  return "";
}

// As much I/O as the queue holds, and no time to wait for it.
std::string overshoot(Subject& subject) {
  constexpr std::uint64_t kLarge = 256 * 1024;
  const std::uint32_t depth = subject.depth();
  Rig rig(subject, subject.create(), {subject.slow_place("data", depth * kLarge)}, {.depth = depth, .block = kLarge});
  const std::vector<dp_io> ios = full(subject, rig, depth, kLarge);
  const std::uint64_t slack = machine_slack();
  const std::uint64_t bound = kMillisecond + granularity(subject) + slack;
  bool waited = false;
  const auto prepare = [&] {
    rig.drain();
    rig.submit(ios);
  };
  const std::uint64_t best =
      shortest(kAttempts, bound, prepare, [&] { waited |= rig.reap(depth, depth, kMillisecond).size() < depth; });
  rig.drain();
  if (best > bound)
    throw Violation(
        fmt::format("reap with {} I/Os in flight and a timeout of 1 ms took {} in the best of {} attempts; "
                    "the manifest allows {} more, this machine {}",
                    depth, ms(best), kAttempts, ms(granularity(subject)), ms(slack)));
  return waited ? "" : "its I/O is too fast here to tell for certain";
}

// Long after the I/O was done: there is nothing to wait for.
std::string ready(Subject& subject) {
  Rig rig(subject, "data", kBlock, {});
  const dp_io io = rig.io(some_op(subject), 0);
  constexpr std::uint64_t kTimeout = 500 * kMillisecond;
  constexpr std::uint64_t kBound = kTimeout / 2;
  const std::uint64_t latency = shortest(1, 0, [&] { rig.run(io); });
  const auto prepare = [&] {
    rig.drain();
    if (rig.submit({&io, 1}) != 1) throw Violation("an empty queue did not take one I/O");
    sleep_ns(std::min(2 * latency, subject.patience()) + 5 * kMillisecond);
  };
  const std::uint64_t best = shortest(3, kBound, prepare, [&] { rig.reap(1, 1, kTimeout); });
  rig.drain();
  if (best > kBound)
    throw Violation(
        fmt::format("reap with min 1 took {} in the best of 3 attempts although the I/O had long completed", ms(best)));
  return "";
}

// The rig has one entry more than max and sees it written.
std::string max(Subject& subject) {
  const std::uint32_t depth = std::min(subject.depth(), 8u);
  Rig rig(subject, "data", depth * kBlock, {.depth = depth});
  const std::vector<dp_io> ios = full(subject, rig, depth, kBlock);
  const std::uint64_t end = monotonic_ns() + subject.patience();
  for (const std::uint32_t most : {1u, 3u}) {
    rig.drain();
    rig.submit(ios);
    sleep_ns(5 * kMillisecond);
    while (rig.in_flight() > 0 && monotonic_ns() < end) rig.reap(most, 1, 10 * kMillisecond);
  }
  rig.drain();
  return depth == 1 ? "with one I/O in flight" : "";
}

std::string stamps(Subject& subject) {
  Rig rig(subject, "data", subject.depth() * kBlock, {.depth = subject.depth()});
  const std::vector<dp_io> ios = full(subject, rig, subject.depth(), kBlock);
  const dp_host& host = subject.host();
  bool stamped = false;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t before = host.now(host.context);
    const std::vector<dp_done> all = rig.run_all(ios);
    const std::uint64_t after = host.now(host.context);
    for (const dp_done& done : all) {
      stamped |= done.ticks != 0;
      if (done.ticks == 0 && subject.can(DP_CAP_STAMPS))
        throw Violation(fmt::format("tag {} has no stamp, and the manifest says DP_CAP_STAMPS", done.tag));
      if (done.ticks != 0 && (done.ticks < before || done.ticks > after))
        throw Violation(fmt::format("tag {} is stamped {}, outside of its submission at {} and its return at {}",
                                    done.tag, done.ticks, before, after));
    }
  }
  return stamped ? "" : "leaves stamping to the runner";
}

constexpr std::array kRules{
    ConformanceRule{"reap.min_zero", "reap with min 0 never waits", min_zero},
    ConformanceRule{"reap.timeout", "an empty queue overshoots its timeout by no more than wait_granularity_ns",
                    timeout},
    ConformanceRule{"reap.overshoot", "a busy queue overshoots its timeout by no more than wait_granularity_ns",
                    overshoot},
    ConformanceRule{"reap.ready", "reap does not wait when its min is there", ready},
    ConformanceRule{"reap.max", "reap writes no more than max completions", max},
    ConformanceRule{"reap.stamps", "stamps lie between submission and completion", stamps},
};

}  // namespace

std::span<const ConformanceRule> reap_rules() { return kRules; }

}  // namespace diskproof
