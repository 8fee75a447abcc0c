// The nfs engine beside a bare loop of libnfs, in turns, on a server whose delay is known. What is asserted are ratios
// that hold on a busy machine too; the targets themselves are asserted with DISKPROOF_LONG, for a quiet one.
#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <vector>

#include "beds/nfs_server.hpp"
#include "integration/bench.hpp"
#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

struct Speed {
  double iops = 0, latency = 0;  // ns
};

bool is_long() { return std::getenv("DISKPROOF_LONG") != nullptr; }
int seconds() { return is_long() ? 5 : 1; }
int turns() { return is_long() ? 7 : 3; }

// On the file that a kept disk has left on the export.
Speed bare_loop(const Bench& bench, const std::string& export_name, int depth) {
  const std::string url = NfsServer::url(export_name + "/diskproof-speed-nas/t0.dat");
  Program program(Launch{{DISKPROOF_NFS_LOOP, url, "4096", std::to_string(depth), std::to_string(seconds())},
                         {},
                         bench.folder().path(),
                         bench.path("loop.out"),
                         bench.path("loop.err")});
  const int code = program.wait(std::chrono::seconds(30));
  CHECK(code == 0);
  Speed speed;
  std::ifstream(bench.path("loop.out")) >> speed.iops >> speed.latency;
  return speed;
}

Speed engine(const Bench& bench, const std::string& export_name, int depth) {
  const Finished run =
      bench.run(fmt::format("diskproof: 1\nname: speed\ndisks: {{nas: {{url: \"{}\", keep: true}}}}\n"
                            "defaults: {{disk: nas, size: 4MiB, access: random, engine: nfs, block_size: 4KiB}}\n"
                            "phases:\n  - {{name: reads, operations: read, queue_depth: {}, duration: {}s}}\n",
                            NfsServer::url(export_name), depth, seconds()));
  INFO(run.out, run.err);
  REQUIRE(run.code == 0);
  const Result result(bench);
  CHECK(result.metric("reads", "queue_depth.mean") > 0.5 * depth);
  return {result.metric("reads", "read.iops"), result.metric("reads", "read.latency.mean")};
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.at(values.size() / 2);
}

// Medians of ours ÷ the bare loop's, pair by pair.
Speed beside_bare_loop(const Bench& bench, const std::string& export_name, int depth) {
  std::vector<double> iops, latency;
  for (int turn = 0; turn < turns(); ++turn) {
    const Speed ours = engine(bench, export_name, depth), bare = bare_loop(bench, export_name, depth);
    iops.push_back(ours.iops / bare.iops);
    latency.push_back(ours.latency / bare.latency);
  }
  const Speed ratio{median(iops), median(latency)};
  MESSAGE(export_name, " at depth ", depth, " beside a bare loop: IOPS x ", ratio.iops, ", mean latency x ",
          ratio.latency);
  return ratio;
}

}  // namespace

TEST_CASE("nfs speed: a delay of 1 ms per request is measured as the bare loop measures it, and depth hides it") {
  const NfsServer server;
  if (!server.fault().empty()) {
    MESSAGE("skipped: no NFS server, ", server.fault());
    return;
  }
  const Bench bench;
  const Speed ratio = beside_bare_loop(bench, "slow", 1);
  CHECK(ratio.latency < (is_long() ? 1.05 : 3));
  const Speed one = engine(bench, "slow", 1), deep = engine(bench, "slow", 32);
  CHECK(one.latency > 0.9e6);  // the server's own delay
  CHECK(deep.iops > 3 * one.iops);
}

TEST_CASE("nfs speed: depth 32 in memory beside a bare loop") {
  const NfsServer server;
  if (!server.fault().empty()) {
    MESSAGE("skipped: no NFS server, ", server.fault());
    return;
  }
  const Bench bench;
  const Speed ratio = beside_bare_loop(bench, "mem", 32);
  CHECK(ratio.iops > (is_long() ? 0.9 : 0.25));
}

}  // namespace diskproof::testing
