// Ending early: cancel is a request, and a queue drains to the last I/O.
#include <array>
#include <fmt/format.h>
#include <vector>

#include "conformance/rig.hpp"
#include "conformance/rule.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kBlock = 4096;

std::vector<dp_io> full(const Subject& subject, const Rig& rig) {
  const dp_op op = subject.supports(DP_OP_READ) ? DP_OP_READ : DP_OP_WRITE;
  std::vector<dp_io> ios;
  for (std::uint32_t tag = 0; tag < subject.depth(); ++tag) ios.push_back(rig.io(op, tag, tag * kBlock));
  return ios;
}

// The rig sees a second completion; that none is missing shows in the drain.
std::string once(Subject& subject) {
  Rig rig(subject, "data", subject.depth() * kBlock, {.depth = subject.depth()});
  const std::vector<dp_io> ios = full(subject, rig);
  std::uint64_t cancelled = 0;
  bool refused = false;
  for (int round = 0; round < 10; ++round) {
    const std::uint32_t taken = rig.submit(ios);
    for (std::uint32_t tag = 0; tag < taken; tag += 2) refused |= rig.cancel(tag) == -DP_ENOTSUP;
    for (const dp_done& done : rig.drain()) {
      if (done.result == -DP_ECANCELED) ++cancelled;
      if (done.result < 0 && done.result != -DP_ECANCELED)
        throw Violation(fmt::format("after cancel tag {} completed with {}, expected its bytes or {} (ecanceled)",
                                    done.tag, result_text(done.result), -DP_ECANCELED));
    }
    rig.reap(8, 0, 0);
  }
  return refused ? "it has no cancel and says so" : fmt::format("{} ended by it", cancelled);
}

std::string drain(Subject& subject) {
  Rig rig(subject, "data", subject.depth() * kBlock, {.depth = subject.depth()});
  const std::vector<dp_io> ios = full(subject, rig);
  for (int round = 0; round < 20; ++round) {
    rig.submit(ios);
    rig.drain();
  }
  rig.close();
  return "";
}

constexpr std::array kRules{
    ConformanceRule{"cancel.once", "an I/O that was cancelled still completes exactly once", once},
    ConformanceRule{"cancel.drain", "a full queue completes all it took, and closes", drain},
};

}  // namespace

std::span<const ConformanceRule> cancel_rules() { return kRules; }

}  // namespace diskproof
