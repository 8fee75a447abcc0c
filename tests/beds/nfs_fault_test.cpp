// What a run on an NFS server says when the server is slow, stopped, killed, full or closed to us.
#include <csignal>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <string>

#include "beds/nfs_case.hpp"
#include "beds/share_faults.hpp"
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

}  // namespace

TEST_CASE("nfs faults: a server that stops for 3 s is seen in the longest latency and in the longest stall") {
  const NfsServer server;
  if (skipped(server)) return;
  check_stop_is_seen(job(NfsServer::url("mem"), "operations: read, queue_depth: 8, duration: 8s"),
                     [&](int number) { kill(server.pid(), number); });
}

TEST_CASE("nfs faults: a server that is killed ends the phase with its cause, in reports and exit code") {
  const NfsServer server;
  if (skipped(server)) return;
  check_death_ends_phase(job(NfsServer::url("mem"), "operations: read, queue_depth: 8, duration: 60s", ", timeout: 5s"),
                         [&](int number) { kill(server.pid(), number); });
}

TEST_CASE("nfs faults: a stopped server ends the phase when the time limit of its requests has passed") {
  const NfsServer server;
  if (skipped(server)) return;
  check_limit_ends_phase(job(NfsServer::url("mem"), "operations: read, queue_depth: 8, duration: 60s", ", timeout: 2s"),
                         [&](int number) { kill(server.pid(), number); });
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
