// What a run on an SMB server says when the server is stopped, killed, full or closed to us.
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <string>

#include "beds/share_faults.hpp"
#include "beds/smb_case.hpp"
#include "integration/bench.hpp"
#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

std::string job(const std::string& url, const std::string& phase, const std::string& engine = smb_engine()) {
  return fmt::format(
      "diskproof: 1\nname: share\ndisks: {{nas: {{url: \"{}\"}}}}\n"
      "defaults: {{disk: nas, size: 4MiB, access: random, {}, block_size: 4KiB}}\n"
      "phases:\n  - {{name: load, {}}}\n",
      url, engine, phase);
}

}  // namespace

TEST_CASE("smb faults: a server that stops for 3 s is seen in the longest latency and in the longest stall") {
  const SmbServer server;
  if (skipped(server)) return;
  check_stop_is_seen(job(SmbServer::url("disk"), "operations: read, queue_depth: 4, duration: 8s"),
                     [&](int number) { server.signal(number); });
}

TEST_CASE("smb faults: a server that is killed ends the phase with its cause, in reports and exit code") {
  const SmbServer server;
  if (skipped(server)) return;
  check_death_ends_phase(
      job(SmbServer::url("disk"), "operations: read, queue_depth: 4, duration: 60s", smb_engine(", timeout: 5s")),
      [&](int number) { server.signal(number); });
}

TEST_CASE("smb faults: a stopped server ends the phase when the time limit of its requests has passed") {
  const SmbServer server;
  if (skipped(server)) return;
  check_limit_ends_phase(
      job(SmbServer::url("disk"), "operations: read, queue_depth: 4, duration: 60s", smb_engine(", timeout: 2s")),
      [&](int number) { server.signal(number); });
}

TEST_CASE("smb faults: a full share, a closed one and one that is not there are named") {
  const SmbServer server;
  if (skipped(server)) return;
  ::setenv("DISKPROOF_BED_WRONG", "mistaken", 1);
  const std::string wrong = "engine: {name: smb, password_env: DISKPROOF_BED_WRONG}";
  struct Row {
    const char* name;
    std::string url, size, words, engine = smb_engine();
  };
  const Row rows[] = {
      {"full", SmbServer::url("full"), "64MiB", "no space left or quota reached"},
      {"read only", SmbServer::url("fixed"), "1MiB", "permission denied or read-only"},
      {"not there", SmbServer::url("nowhere"), "1MiB", "the server has no share of that name"},
      {"of others", SmbServer::url("barred"), "1MiB", "this user may not use the share"},
      {"unknown host", "smb://root@nowhere.invalid/disk", "1MiB", "nowhere.invalid"},
      {"wrong password", SmbServer::url("disk"), "1MiB", "the server refuses the name or the password", wrong},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const Bench bench;
    const Finished run = bench.run(job(row.url, "operations: write, duration: 1s, size: " + row.size, row.engine));
    INFO(run.out, run.err);
    CHECK(run.code == 2);
    CHECK(has(run.out + run.err, row.words));
    CHECK(joined(bench.leftovers()) == "");
  }
  CHECK(std::filesystem::is_empty(server.folder("full")));
}

}  // namespace diskproof::testing
