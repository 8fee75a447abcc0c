// Disks that are SMB shares, against a real server: load at depth, integrity, what is left, what the reports keep
// secret.
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <string>

#include "beds/share_faults.hpp"
#include "beds/smb_case.hpp"
#include "integration/bench.hpp"
#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

namespace fs = std::filesystem;

std::string job(const std::string& disk, const std::string& phases, const std::string& more = "duration: 1s") {
  return fmt::format(
      "diskproof: 1\nname: share\ndisks: {{nas: {{{}}}}}\n"
      "defaults: {{disk: nas, size: 8MiB, access: random, block_size: 4KiB, {}, {}}}\nphases:\n{}",
      disk, smb_engine(), more, phases);
}

std::string url_disk(const std::string& more = "") {
  return fmt::format("url: \"{}\"{}", SmbServer::url("disk"), more);
}

bool is_in(const fs::path& folder, const std::string& words) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ostringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    if (text.str().find(words) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("smb disk: threads have files of their own at depth, nothing is left, and the password is in no report") {
  const SmbServer server;
  if (skipped(server)) return;
  std::ofstream(server.folder("disk") + "/theirs") << "untouched";
  const Bench bench;
  const Finished run = bench.run(
      job(url_disk(", subdirectory: team tests"),
          "  - {name: mixed, operations: {read: 70%, write: 30%}, queue_depth: 4, threads: 2, duration: 2s}\n"));
  INFO(run.out, run.err);
  REQUIRE(run.code == 0);
  const Result result(bench);
  CHECK(result.metric("mixed", "queue_depth.mean") > 0.5 * 8);
  CHECK(result.metric("mixed", "total.operations") > 100);
  CHECK(fs::exists(server.folder("disk") + "/theirs"));
  fs::remove(server.folder("disk") + "/theirs");
  CHECK(fs::is_empty(server.folder("disk")));
  CHECK(joined(bench.leftovers()) == "");
  CHECK(is_in(bench.folder().path(), SmbServer::kPasswordVariable));
  CHECK(!is_in(bench.folder().path(), SmbServer::kPassword));
}

TEST_CASE("smb disk: cleanup finishes the undo of a run that was killed, and no client process outlives it") {
  const SmbServer server;
  if (skipped(server)) return;
  const Bench bench;
  cut_off(bench, job(url_disk(), "  - {name: reads, operations: read, duration: 60s}\n"), "reads");
  CHECK(!fs::is_empty(server.folder("disk")));
  const Finished cleanup = bench.diskproof({"cleanup"});
  INFO(cleanup.out, cleanup.err);
  CHECK(cleanup.code == 0);
  CHECK(fs::is_empty(server.folder("disk")));
  CHECK(bench.processes().empty());
}

TEST_CASE("smb disk: a check finds what was written, and later the byte that was changed behind the server's back") {
  const SmbServer server;
  if (skipped(server)) return;
  const std::string disk = url_disk(", keep: true");
  const Bench bench;
  const Finished run =
      bench.run(job(disk,
                    "  - {name: load, operations: write, access: sequential, queue_depth: 4, bytes: 8MiB, threads: 2, "
                    "verify: write}\n  - {name: check, verify: {of: load}}\n",
                    "io_timeout: 60s"));
  INFO(run.out, run.err);
  REQUIRE(run.code == 0);
  const Result sound(bench);
  CHECK(sound.metric("check", "verify.bytes") == 8 << 20);
  change_byte(server.folder("disk") + "/diskproof-share-nas/t1.dat", 6000);
  const Bench later;
  const Finished again = later.run(
      job(disk, fmt::format("  - {{name: later, verify: {{manifest: \"{}\"}}}}\n", bench.path("out/load.manifest")),
          "io_timeout: 60s"));
  INFO(again.out, again.err);
  CHECK(again.code == 1);
  const Result found(later);
  CHECK(found.metric("later", "verify.corrupt") == 4096);
  CHECK(found.metric("later", "verify.bytes") == (8 << 20) - 4096);
  CHECK(has(again.out, "t1.dat"));
}

TEST_CASE("smb disk: what the library cannot do is said before the server is asked") {
  struct Row {
    const char* name;
    std::string phase, words;
  };
  const Row rows[] = {
      {"flushes", "operations: write, fsync: {end: true}", "engine smb cannot fsync"},
      {"depth 64", "operations: read, queue_depth: 64", "a queue_depth of at most 32, not 64"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const Bench bench;
    const Finished run = bench.run(job(url_disk(), fmt::format("  - {{name: load, {}}}\n", row.phase)));
    INFO(run.out, run.err);
    CHECK(run.code == 3);
    CHECK(has(run.err, row.words));
  }
}

}  // namespace diskproof::testing
