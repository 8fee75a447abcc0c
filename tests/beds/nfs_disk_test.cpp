// Disks that are URLs, through the nfs engine against a real server: what is touched there, what is left, what is
// refused.
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "beds/nfs_case.hpp"
#include "beds/share_faults.hpp"
#include "integration/bench.hpp"
#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

namespace fs = std::filesystem;

std::string job(const std::string& disk, const std::string& phases,
                const std::string& defaults = "engine: nfs, block_size: 4KiB, duration: 1s") {
  return fmt::format(
      "diskproof: 1\nname: share\ndisks: {{nas: {{{}}}}}\n"
      "defaults: {{disk: nas, size: 8MiB, access: random, {}}}\nphases:\n{}",
      disk, defaults, phases);
}

std::string url_disk(const std::string& name, const std::string& more = "") {
  return fmt::format("url: \"{}\"{}", NfsServer::url(name), more);
}

std::vector<std::string> everything_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    names.push_back(entry.path().lexically_relative(folder).string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("url disk: threads have files of their own at depth, and nothing is left on the server") {
  const NfsServer server;
  if (skipped(server)) return;
  std::ofstream(server.folder("disk") + "/theirs") << "untouched";
  const Bench bench;
  const Finished run = bench.run(job(url_disk("disk", ", subdirectory: team/tests"),
                                     "  - {name: mixed, operations: {read: 70%, write: 30%}, queue_depth: 32, "
                                     "threads: 2}\n"));
  INFO(run.out, run.err);
  REQUIRE(run.code == 0);
  const Result result(bench);
  CHECK(result.metric("mixed", "queue_depth.mean") > 0.5 * 64);
  CHECK(result.metric("mixed", "total.operations") > 1000);
  CHECK(result.json().at("plan").at("disks").at(0).at("files").size() == 2);
  CHECK(joined(everything_in(server.folder("disk"))) == "theirs");
  CHECK(joined(bench.leftovers()) == "");
}

TEST_CASE("url disk: what is kept is used again by the same job and refused to another") {
  const NfsServer server;
  if (skipped(server)) return;
  const std::string disk = url_disk("disk", ", keep: true");
  const std::string phases = "  - {name: reads, operations: read, queue_depth: 4}\n";
  const std::string folder = "diskproof-share-nas";
  for (const std::string layout : {"written", "reused"}) {
    CAPTURE(layout);
    const Bench bench;
    const Finished run = bench.run(job(disk, phases));
    INFO(run.out, run.err);
    REQUIRE(run.code == 0);
    CHECK(has(Result(bench).reason("layout/nas"), "written by an earlier run") == (layout == "reused"));
    CHECK(joined(everything_in(server.folder("disk"))) ==
          fmt::format("{0}, {0}/owner, {0}/t0.dat, {0}/t0.dat.diskproof", folder));
  }
  const Bench stranger;
  std::ofstream(server.folder("disk") + "/" + folder + "/owner") << "somebody else\n";
  const Finished run = stranger.run(job(disk, phases));
  INFO(run.out, run.err);
  CHECK(run.code == 4);
  CHECK(has(run.out + run.err, "is kept by another disk or job"));
}

TEST_CASE("url disk: a file on the server needs overwrite, is written in place and stays") {
  const NfsServer server;
  if (skipped(server)) return;
  const std::string path = server.folder("disk") + "/precious";
  std::ofstream(path) << std::string(1 << 20, 'p');
  const std::string phases = "  - {name: reads, operations: read, size: 1MiB}\n";
  const auto hash = content_hash(path);
  const Bench refused;
  const Finished no = refused.run(job(url_disk("disk/precious"), phases));
  INFO(no.out, no.err);
  CHECK(no.code == 4);
  CHECK(has(no.out + no.err, "is a file that diskproof did not make"));
  CHECK(content_hash(path) == hash);
  const Bench allowed;
  const Finished yes = allowed.run(job(url_disk("disk/precious", ", overwrite: true"), phases));
  INFO(yes.out, yes.err);
  CHECK(yes.code == 0);
  CHECK(content_hash(path) != hash);
  CHECK(joined(everything_in(server.folder("disk"))) == "precious");
}

TEST_CASE("url disk: cleanup finishes the undo of a run that was killed") {
  const NfsServer server;
  if (skipped(server)) return;
  const Bench bench;
  cut_off(bench, job(url_disk("disk"), "  - {name: reads, operations: read, duration: 60s}\n"), "reads");
  CHECK(everything_in(server.folder("disk")).size() == 3);  // folder, lock, file
  const Finished cleanup = bench.diskproof({"cleanup"});
  INFO(cleanup.out, cleanup.err);
  CHECK(cleanup.code == 0);
  CHECK(joined(everything_in(server.folder("disk"))) == "");
}

TEST_CASE("url disk: a check finds what was written, and later the byte that was changed behind the server's back") {
  const NfsServer server;
  if (skipped(server)) return;
  const std::string disk = url_disk("disk", ", keep: true");
  const std::string defaults = "engine: nfs, block_size: 4KiB";
  const Bench bench;
  const Finished run =
      bench.run(job(disk,
                    "  - {name: load, operations: write, access: sequential, queue_depth: 8, bytes: 8MiB, threads: 2, "
                    "fsync: {end: true}, verify: write}\n  - {name: check, verify: {of: load}}\n",
                    defaults));
  INFO(run.out, run.err);
  REQUIRE(run.code == 0);
  const Result sound(bench);
  CHECK(sound.metric("check", "verify.expected") == 8 << 20);
  CHECK(sound.metric("check", "verify.bytes") == 8 << 20);
  change_byte(server.folder("disk") + "/diskproof-share-nas/t1.dat", 6000);
  const Bench later;
  const Finished again = later.run(
      job(disk, fmt::format("  - {{name: later, verify: {{manifest: \"{}\"}}}}\n", bench.path("out/load.manifest")),
          defaults));
  INFO(again.out, again.err);
  CHECK(again.code == 1);
  const Result found(later);
  CHECK(found.metric("later", "verify.corrupt") == 4096);
  CHECK(found.metric("later", "verify.bytes") == (8 << 20) - 4096);
  CHECK(has(again.out, "t1.dat"));
}

TEST_CASE("url disk: what a job gets wrong is said before the server is asked") {
  struct Row {
    const char* name;
    std::string disk, words;
  };
  const Row rows[] = {
      {"no URL", "url: server/export", "disks.nas.url: is no URL"},
      {"a password", "url: \"nfs://me:secret@server/export\"", "holds a password"},
      {"an engine for files", "url: \"nfs://127.0.0.1/x\", engine: sync", "does not work on URLs"},
      {"leaving the folder", "url: \"nfs://127.0.0.1/x\", subdirectory: ../y", "leaves the directory"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const Bench bench;
    const Finished run = bench.run(job(row.disk, "  - {name: reads, operations: read}\n",
                                       has(row.disk, "engine") ? "duration: 1s" : "engine: nfs, duration: 1s"));
    INFO(run.out, run.err);
    CHECK(run.code == 3);
    CHECK(has(run.err, row.words));
    CHECK(!has(run.out + run.err, "secret"));
  }
}

}  // namespace diskproof::testing
