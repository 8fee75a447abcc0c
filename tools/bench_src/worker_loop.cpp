// worker_loop ENGINE COUNT BATCH [DEPTH]: COUNT random reads of 4 KiB from a virtual disk of 4 TiB, by the runner's own
// phase execution in this process: one worker, the engine's shared library, full histograms. For counting instructions:
// what two counts differ by is the loop alone, without start and end. Prints one line of JSON.
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>

#include "engine/library.hpp"
#include "exec/child_host.hpp"
#include "exec/phase_execution.hpp"
#include "support/error.hpp"

namespace {

using namespace std::chrono_literals;

std::uint64_t number(const char* text, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(text, text + std::strlen(text), value);
  if (fault != std::errc{} || *end != '\0' || value == 0 || value > most) {
    throw diskproof::Error(diskproof::ErrorKind::failed,
                           std::string("'") + text + "' is not a number from 1 to " + std::to_string(most));
  }
  return value;
}

diskproof::PhasePlan phase_of(const char* engine, std::uint64_t count, std::uint32_t batch, std::uint32_t depth) {
  constexpr std::uint64_t kSize = std::uint64_t{4} << 40;
  constexpr std::uint64_t kDay = 86'400'000'000'000;  // ns: one interval, so that none ends while it is counted
  diskproof::PhasePlan phase;
  phase.name = "worker_loop";
  phase.engine.path = engine;
  phase.engine.no_target = true;
  phase.targets = {{"virtual", kSize}};
  phase.access = diskproof::Access::random;
  phase.region_size = kSize;
  phase.queue_depth = depth;
  phase.batch = batch;
  phase.direct = false;
  phase.seed = 1;
  phase.interval_grid = kDay;
  phase.stop = {diskproof::StopRule::Kind::operations, count};
  phase.timeout = phase.io_timeout = kDay;
  return phase;
}

int run(const diskproof::PhasePlan& phase) {
  const auto clock = diskproof::TickClock::calibrated(diskproof::sample_clocks());
  static const diskproof::ChildHost host("", clock);
  const auto library = diskproof::Library::load(phase.engine.path, host.table());
  diskproof::Engine engine(library, {});
  diskproof::PhaseExecution execution(phase, engine, clock);
  while (!execution.wait_ready(1h)) {
  }
  execution.start(diskproof::monotonic_ns());
  while (!execution.wait_ended(1h)) {  // nobody looks while it runs
  }
  if (const std::string failure = execution.failure(); !failure.empty()) {
    throw diskproof::Error(diskproof::ErrorKind::failed, failure);
  }
  const diskproof::RunData data = execution.collect();
  const auto operations = data.directions[0].operations;
  const auto per_io = static_cast<double>(data.cpu_user + data.cpu_system) / static_cast<double>(operations);
  std::printf("{\"operations\": %llu, \"cpu_per_io_ns\": %.2f}\n", static_cast<unsigned long long>(operations), per_io);
  return operations == phase.stop.value ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) {
    std::fprintf(stderr, "usage: worker_loop ENGINE_LIBRARY COUNT BATCH [DEPTH]\n");
    return 3;
  }
  try {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max() >> 1;
    const auto batch = static_cast<std::uint32_t>(number(argv[3], 65536));
    const auto depth = argc == 5 ? static_cast<std::uint32_t>(number(argv[4], 65536)) : 32;
    return run(phase_of(argv[1], number(argv[2], kMost), batch, depth));
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "worker_loop: %s\n", fault.what());
    return 2;
  }
}
