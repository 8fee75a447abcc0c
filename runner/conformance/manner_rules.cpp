// What an engine leaves behind in the process that it works in: by being loaded, and by a whole life of it.
#include <array>
#include <fmt/format.h>
#include <vector>

#include "conformance/process_state.hpp"
#include "conformance/rig.hpp"
#include "conformance/rule.hpp"
#include "conformance/timing.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kSize = 64 * 1024;
constexpr int kLooks = 100;  // for what was told to end and is about to

// Create, open, one I/O, close, destroy.
void live(Subject& subject, const Place& place) {
  const dp_op op = subject.supports(DP_OP_READ) ? DP_OP_READ : DP_OP_WRITE;
  Rig rig(subject, subject.create(), {place}, {});
  rig.must_run(std::array{rig.io(op, 0)});
}

void must_be_as_before(const ProcessState& before, const ProcessState& after, const char* what) {
  for (const auto& [name, value] : before.manners) {
    if (after.manners.at(name) == value) continue;
    if (name == "environment") throw Violation(fmt::format("{} changed the environment", what));
    throw Violation(fmt::format("{} changed the {} from {} to {}", what, name, value, after.manners.at(name)));
  }
}

std::string load(Subject& subject) {
  const ProcessState after = process_state();
  must_be_as_before(subject.at_start(), after, "loading it");
  if (after.threads > subject.at_start().threads)
    throw Violation(fmt::format("loading it started {} threads", after.threads - subject.at_start().threads));
  if (after.processes > 0) throw Violation(fmt::format("loading it started {} processes", after.processes));
  if (after.descriptors > subject.at_start().descriptors)
    throw Violation(
        fmt::format("loading it left {} descriptors open", after.descriptors - subject.at_start().descriptors));
  return "";
}

std::string manners(Subject& subject) {
  live(subject, subject.place("data", kSize));
  must_be_as_before(subject.at_start(), process_state(), "a life of it");
  std::uint64_t threads = 0;
  for (int look = 0; look < kLooks; ++look, sleep_ns(10 * kMillisecond)) {
    threads = process_state().threads;
    if (threads <= subject.at_start().threads) return "";
  }
  throw Violation(fmt::format("{} of its threads still run after destroy", threads - subject.at_start().threads));
}

std::string processes(Subject& subject) {
  live(subject, subject.place("data", kSize));
  std::uint64_t left = 0;
  for (int look = 0; look < kLooks; ++look, sleep_ns(10 * kMillisecond)) {
    left = process_state().processes;
    if (left == 0) return "";
  }
  throw Violation(fmt::format("{} of its processes are still there after destroy", left));
}

std::string released(Subject& subject) {
  subject.need_files("it does not work on files");
  if (subject.on_share()) throw NotApplicable("a server's open files cannot be seen from here");
  Place place = subject.place("data", kSize);
  place.file.reset();
  place.spec.native_handle = -1;
  const auto engine = subject.create();
  {
    Rig rig(subject, engine, {place}, {});
    rig.must_run(std::array{rig.io(subject.supports(DP_OP_READ) ? DP_OP_READ : DP_OP_WRITE, 0)});
  }
  if (const std::uint64_t left = count_open(place.spec.spec); left > 0)
    throw Violation(fmt::format("after queue_close {} descriptors of the target are open", left));
  return "";
}

constexpr std::array kRules{
    ConformanceRule{"life.load", "loading it changes nothing in the process and starts nothing", load},
    ConformanceRule{"life.manners", "directory, umask, signals, environment and threads are as before", manners},
    ConformanceRule{"life.processes", "no process that it started is left", processes},
    ConformanceRule{"life.targets", "queue_close lets go of the target", released},
};

}  // namespace

std::span<const ConformanceRule> manner_rules() { return kRules; }

}  // namespace diskproof
