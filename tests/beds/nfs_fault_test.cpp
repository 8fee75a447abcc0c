// What a run on an NFS server says when the server is slow, stopped, killed, full or closed to us.
#include <chrono>
#include <csignal>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <thread>

#include "beds/nfs_case.hpp"
#include "integration/bench.hpp"
#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

std::string job(const std::string& url, const std::string& phase, const std::string& options = "") {
  return fmt::format(
      "diskproof: 1\nname: share\ndisks: {{nas: {{url: \"{}\"}}}}\n"
      "defaults: {{disk: nas, size: 8MiB, access: random, engine: {{name: nfs{}}}, block_size: 4KiB}}\n"
      "phases:\n  - {{name: load, {}}}\n",
      url, options, phase);
}

// The load is under way: its file was laid out.
bool wait_for_load(const Bench& bench, Program& run) { return bench.wait_for(run, R"("event":"tick","phase":"load")"); }

}  // namespace

TEST_CASE("nfs faults: a server that stops for 3 s is seen in the longest latency and in the longest stall") {
  const NfsServer server;
  if (skipped(server)) return;
  const Bench bench;
  const auto run = bench.start(job(NfsServer::url("mem"), "operations: read, queue_depth: 8, duration: 8s"));
  REQUIRE(wait_for_load(bench, *run));
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // a queue that is still connecting would fail
  kill(server.pid(), SIGSTOP);
  std::this_thread::sleep_for(std::chrono::seconds(3));
  kill(server.pid(), SIGCONT);
  const Finished finished = bench.finish(*run);
  INFO(finished.out, finished.err);
  CHECK(finished.code == 0);
  const Result result(bench);
  CHECK(result.metric("load", "read.latency.max") > 2.9e9);
  CHECK(result.metric("load", "total.stall.max") > 2.9e9);
}

TEST_CASE("nfs faults: a server that is killed ends the phase with its cause, in reports and exit code") {
  const NfsServer server;
  if (skipped(server)) return;
  const Bench bench;
  const auto run =
      bench.start(job(NfsServer::url("mem"), "operations: read, queue_depth: 8, duration: 60s", ", timeout: 5s"));
  REQUIRE(wait_for_load(bench, *run));
  kill_process(server.pid());
  const Finished finished = bench.finish(*run, std::chrono::seconds(50));
  INFO(finished.out, finished.err);
  CHECK(finished.code == 2);
  const Result result(bench);
  CHECK(result.outcome("load") == "error");
  CHECK(has(result.reason("load"), "enodev"));
  CHECK(read_junit(bench).cases.size() > 0);
}

TEST_CASE("nfs faults: a stopped server ends the phase when the time limit of its requests has passed") {
  const NfsServer server;
  if (skipped(server)) return;
  const Bench bench;
  const auto run =
      bench.start(job(NfsServer::url("mem"), "operations: read, queue_depth: 8, duration: 60s", ", timeout: 2s"));
  REQUIRE(wait_for_load(bench, *run));
  kill(server.pid(), SIGSTOP);
  std::this_thread::sleep_for(std::chrono::seconds(6));
  kill(server.pid(), SIGCONT);  // so that the undo can work
  const Finished finished = bench.finish(*run, std::chrono::seconds(50));
  INFO(finished.out, finished.err);
  CHECK(finished.code == 2);
  CHECK(has(Result(bench).reason("load"), "etimedout"));
}

TEST_CASE("nfs faults: a full export, a closed one and one that is not there are named") {
  const NfsServer server;
  if (skipped(server)) return;
  struct Row {
    const char* name;
    std::string url, size, words;
  };
  const Row rows[] = {
      {"full", NfsServer::url("full"), "64MiB", "no space left or quota reached"},
      {"read only", NfsServer::url("fixed"), "1MiB", "permission denied or read-only"},
      {"not there", NfsServer::url("nowhere"), "1MiB", "mounting /nowhere over NFSv3 of 127.0.0.1"},
      {"unknown host", "nfs://nowhere.invalid/mem", "1MiB", "nowhere.invalid"},
      {"no such folder", NfsServer::url("mem/sub"), "1MiB", "mounting /mem/sub over NFSv3 of 127.0.0.1"},
      {"NFSv4 writes of 4 KiB", NfsServer::url("mem", "", 4), "1MiB", "3800 bytes in one NFSv4 request"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const Bench bench;
    const Finished run = bench.run(job(row.url, "operations: write, duration: 1s, size: " + row.size));
    INFO(run.out, run.err);
    CHECK(run.code == 2);
    CHECK(has(run.out + run.err, row.words));
    CHECK(joined(bench.leftovers()) == "");
  }
  CHECK(std::filesystem::is_empty(server.folder("full")));
}

}  // namespace diskproof::testing
