// submit: takes a prefix, fills the depth, does not wait, and what it took gets under way; and every I/O ends once.
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
constexpr std::uint64_t kBlocks = 64;
constexpr std::uint64_t kSize = kBlocks * kBlock;

dp_op some_op(const Subject& subject) {
  if (subject.supports(DP_OP_READ)) return DP_OP_READ;
  subject.need_operation(DP_OP_WRITE);
  return DP_OP_WRITE;
}

std::vector<dp_io> fill(const Rig& rig, dp_op op, std::uint32_t count) {
  std::vector<dp_io> ios;
  for (std::uint32_t tag = 0; tag < count; ++tag) ios.push_back(rig.io(op, tag, tag % kBlocks * kBlock));
  return ios;
}

// Tags come back in any order, some calls reap more and some less; the rig keeps the books.
std::string once(Subject& subject) {
  Rig rig(subject, "data", kSize, {.depth = subject.depth()});
  std::vector<std::uint32_t> free;
  for (std::uint32_t tag = 0; tag < subject.depth(); ++tag) free.push_back(tag);
  std::uint64_t accepted = 0, completed = 0;
  const auto take_back = [&](const std::vector<dp_done>& done) {
    completed += done.size();
    for (const dp_done& one : done) free.push_back(one.tag);
  };
  for (std::uint64_t round = 0; round < 300; ++round) {
    std::vector<dp_io> ios;
    const dp_op op = round % 3 == 0 && subject.supports(DP_OP_WRITE) ? DP_OP_WRITE : some_op(subject);
    for (std::size_t i = 0; i < std::min<std::size_t>(free.size(), 1 + round % 7); ++i)
      ios.push_back(rig.io(op, free[i], (round * 5 + i) % kBlocks * kBlock));
    const std::uint32_t taken = rig.submit(ios);
    free.erase(free.begin(), free.begin() + taken);
    accepted += taken;
    take_back(rig.reap(1 + static_cast<std::uint32_t>(round % 5), round % 2 == 0 ? 0 : 1, kMillisecond));
  }
  take_back(rig.drain());
  sleep_ns(20 * kMillisecond);
  rig.reap(8, 0, 0);  // a second completion of anything would be one of a tag that is not in flight
  if (completed != accepted)
    throw Violation(fmt::format("{} I/Os were accepted and {} completed", accepted, completed));
  return fmt::format("{} I/Os", completed);
}

std::string prefix(Subject& subject) {
  Rig rig(subject, "data", kSize, {.depth = subject.depth()});
  std::vector<dp_io> ios = fill(rig, some_op(subject), subject.depth());
  const std::size_t real = ios.size();
  ios.insert(ios.end(), ios.begin(), ios.end());  // twice as many as there is room for
  const std::uint32_t taken = rig.submit(ios);    // the rig says no when that is more than the depth
  if (taken == 0) throw Violation(fmt::format("an empty queue of depth {} took none of {} I/Os", real, ios.size()));
  rig.drain();  // the rig knows the first `taken` tags as in flight, and no other may come back
  for (std::uint32_t tag = 0; tag < subject.depth(); ++tag) rig.run(ios[tag]);
  return "";
}

// Also at the most that the engine says it can hold.
std::string depth(Subject& subject) {
  const std::uint64_t most = subject.library().manifest().max_depth;
  const auto depth = static_cast<std::uint32_t>(most == 0 ? 256 : std::min<std::uint64_t>(most, 1024));
  Rig rig(subject, "data", kSize, {.depth = depth});
  std::span<const dp_io> left;
  const std::vector<dp_io> ios = fill(rig, some_op(subject), depth);
  left = ios;
  while (!left.empty()) {
    const std::uint32_t taken = rig.submit(left);
    if (taken == 0)
      throw Violation(fmt::format("a queue of depth {} is full with {} in flight", depth, rig.in_flight()));
    left = left.subspan(taken);
  }
  const dp_io more = ios.front();
  if (rig.in_flight() == depth && rig.submit({&more, 1}) != 0) throw Violation("a full queue took one more");
  rig.drain();
  return fmt::format("{} in flight", depth);
}

// Where an I/O takes long enough to tell: submit must not be what takes it.
std::string returns(Subject& subject) {
  if (subject.can(DP_CAP_SYNC)) throw NotApplicable("the manifest says that submit waits (DP_CAP_SYNC)");
  constexpr std::uint64_t kLarge = 1 << 20;
  Rig rig(subject, subject.create(), {subject.slow_place("data", kLarge)}, {.block = kLarge});
  const dp_io io = rig.io(some_op(subject), 0);
  const std::uint64_t bound = machine_slack();
  std::uint64_t waited = 0;  // attempts in which submit took long and left nothing to wait for
  const std::uint64_t best = shortest(5, bound, [&] {
    const std::uint64_t begin = monotonic_ns();
    if (rig.submit({&io, 1}) != 1) throw Violation("an empty queue did not take one I/O");
    const std::uint64_t in_submit = monotonic_ns() - begin;
    if (!rig.reap(1, 0, 0).empty() && in_submit > bound) ++waited;
    rig.drain();
  });
  if (waited == 5)
    throw Violation(fmt::format("submit returned only when its I/O was done, after {:.1f} ms in the best of 5 attempts",
                                static_cast<double>(best) / 1e6));
  return best > bound ? "" : "its I/O is too fast here to tell for certain";
}

std::string starts(Subject& subject) {
  Rig rig(subject, "data", kSize, {});
  const dp_io io = rig.io(some_op(subject), 0);
  if (rig.submit({&io, 1}) != 1) throw Violation("an empty queue did not take one I/O");
  const std::uint64_t end = monotonic_ns() + subject.patience();
  while (rig.reap(1, 0, 0).empty()) {
    if (monotonic_ns() > end)
      throw Violation(fmt::format("an I/O has not completed after {:.1f} s of reaping with min 0",
                                  static_cast<double>(subject.patience()) / 1e9));
    sleep_ns(100'000);
  }
  return "";
}

// A file system may lack trim and zeroing; then the engine says so instead of doing something else.
std::string operations(Subject& subject) {
  Rig rig(subject, "data", kSize, {});
  std::string missing;
  for (const dp_op op : {DP_OP_READ, DP_OP_WRITE, DP_OP_TRIM, DP_OP_FSYNC, DP_OP_FDATASYNC, DP_OP_WRITE_ZEROES}) {
    if (!subject.supports(op)) continue;
    const dp_io io = rig.io(op, 0);
    const dp_done done = rig.run(io);
    if (done.result == io.length) continue;
    const bool may_lack = op == DP_OP_TRIM || op == DP_OP_WRITE_ZEROES;
    if (!may_lack || done.result != -DP_ENOTSUP)
      throw Violation(fmt::format("operation {} is in the manifest and completed with {}, expected {} bytes",
                                  static_cast<int>(op), result_text(done.result), io.length));
    missing += op == DP_OP_TRIM ? "no trim on this file system " : "no write_zeroes on this file system";
  }
  return missing;
}

constexpr std::array kRules{
    ConformanceRule{"submit.once", "every accepted I/O completes exactly once", once},
    ConformanceRule{"submit.prefix", "submit takes a prefix, never more than fits", prefix},
    ConformanceRule{"submit.depth", "a queue holds as many I/Os as its depth says", depth},
    ConformanceRule{"submit.returns", "submit does not wait for a completion", returns},
    ConformanceRule{"submit.starts", "what submit took gets under way by reaping with min 0 alone", starts},
    ConformanceRule{"submit.operations", "every operation of the manifest is served", operations},
};

}  // namespace

std::span<const ConformanceRule> submit_rules() { return kRules; }

}  // namespace diskproof
