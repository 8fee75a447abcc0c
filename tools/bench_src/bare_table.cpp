// The bare loop through an engine's C table: what the calls themselves cost, on `null`.
#include <stdexcept>
#include <vector>

#include "bare_loop.hpp"
#include "engine/session.hpp"
#include "exec/child_host.hpp"

namespace diskproof::bench {

BareResult run_table(const BareJob& job) {
  static const ChildHost host("", TickClock{});
  Engine engine(Library::load(job.path, host.table()), {});
  const Buffers buffers(job.depth);
  Queue queue(engine, {.depth = job.depth,
                       .max_length = kBlock,
                       .targets = {{.spec = "virtual", .size = job.size}},
                       .regions = {{buffers.at(0), buffers.size()}}});
  const QueueCalls calls = queue.calls();
  Offsets offsets(job.size);
  std::vector<dp_io> ios(job.depth);
  std::vector<dp_done> done(job.batch);
  std::uint32_t count = job.depth;
  for (std::uint32_t tag = 0; tag < count; ++tag) {
    ios[tag] = {offsets.next(), buffers.at(tag), kBlock, tag, 0, 0, DP_OP_READ, 0, 0};
  }
  std::uint64_t operations = 0;
  Stopwatch watch(job);
  const auto turn = [&](std::uint32_t min) {
    if (count > 0 && calls.submit({ios.data(), count}) != static_cast<std::int32_t>(count)) {
      throw std::runtime_error("submit took less than the depth allows");
    }
    const std::int32_t got = calls.reap(done, min, 1'000'000'000);
    if (got < 0) throw std::runtime_error("reap failed");
    count = static_cast<std::uint32_t>(got);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (done[i].result != kBlock) throw_short(done[i].result);
      ios[i] = {offsets.next(), buffers.at(done[i].tag), kBlock, done[i].tag, 0, 0, DP_OP_READ, 0, 0};
    }
    operations += count;
  };
  do {
    turn(job.batch);
  } while (watch.goes_on(operations));
  const BareResult result = watch.result(operations);
  for (std::uint32_t left = job.depth - count; left > 0; left -= count) {
    count = 0;
    turn(1);
  }
  return result;
}

}  // namespace diskproof::bench
