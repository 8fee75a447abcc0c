// Checks of what is not as the manifest says, or not there at all: found or refused, and never a pass.
#include <csignal>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>

#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

namespace fs = std::filesystem;

std::string job(const std::string& phases) {
  return "diskproof: 1\nname: edges\ndisks: {d: {file: d.dat, fill: true, keep: true}}\ndefaults: {disk: d, direct: "
         "false, engine: sync, findings: {verify_limited: ignore, on_tmpfs: ignore}}\nphases:\n" +
         phases;
}

constexpr const char* kLoad =
    "  - {name: load, size: 4MiB, layout: none, access: random, operations: write, block_size: 64KiB, "
    "operations_count: "
    "64, verify: write}\n";
constexpr const char* kLater = "  - {name: later, verify: {manifest: load.manifest}}\n";

// A disk that was written, with its manifest beside the job: 64 blocks of 64 KiB.
struct Written {
  Bench bench;

  Written() {
    const Finished run = bench.run(job(kLoad));
    INFO(run.out, run.err);
    REQUIRE(run.code == 0);
    fs::copy_file(bench.path("out/load.manifest"), bench.path("load.manifest"));
  }
  [[nodiscard]] double metric(const std::string& name) const { return Result(bench).metric("later", "verify." + name); }
};

}  // namespace

TEST_CASE("verify: what a file that was cut off lacks is missing, and the rest is checked") {
  const Written disk;
  fs::resize_file(disk.bench.file("d.dat"), (1 << 20) + 1024);
  const Finished run = disk.bench.run(job(kLater));
  INFO(run.out, run.err);
  CHECK(run.code == 1);
  CHECK(disk.metric("torn") == 1 << 16);  // two sectors of it are there
  CHECK(disk.metric("missing") == 47 << 16);
  CHECK(disk.metric("bytes") == 16 << 16);
}

TEST_CASE("verify: a file that is gone is an error") {
  const Written disk;
  fs::remove(disk.bench.file("d.dat"));
  const Finished run = disk.bench.run(job(kLater));
  INFO(run.out, run.err);
  CHECK(run.code == 2);
  CHECK(Result(disk.bench).outcome("later") == "error");
}

TEST_CASE("verify: what is no file is refused at once, as data and as manifest") {
  const Written disk;
  for (const std::string name : {"work/d.dat", "load.manifest"}) {
    for (const bool folder : {true, false}) {
      CAPTURE(name);
      CAPTURE(folder);
      const std::string path = disk.bench.path(name);
      fs::rename(path, path + ".good");
      REQUIRE((folder ? fs::create_directory(path) : ::mkfifo(path.c_str(), 0600) == 0));
      const Finished run = disk.bench.run(job(kLater));
      INFO(run.out, run.err);
      CHECK(run.code == 2);
      CHECK((run.out + run.err).find(name.substr(name.find('/') + 1)) != std::string::npos);
      fs::remove(path);
      fs::rename(path + ".good", path);
    }
  }
  CHECK(disk.bench.run(job(kLater)).code == 0);
}

TEST_CASE("verify: a manifest that is cut off while it is checked changes nothing of the check") {
  const Bench bench;
  const auto program = bench.start(
      "diskproof: 1\nname: cut\ndisks: {d: {virtual: {size: 16MiB}}}\ndefaults: {disk: d, engine: {name: sim, content: "
      "true, service_time: 200us}, findings: {verify_limited: ignore}}\nphases:\n"
      "  - {name: load, access: random, operations: write, block_size: 4KiB, queue_depth: 32, operations_count: 4096, "
      "verify: write}\n"
      "  - {name: check, engine: {name: sim, content: true, service_time: 200ms}, queue_depth: 1, verify: {of: "
      "load}}\n");
  REQUIRE(bench.wait_for(*program, R"("event":"tick","phase":"check")"));
  fs::resize_file(bench.path("out/load.manifest"), fs::file_size(bench.path("out/load.manifest")) / 2);
  const Finished run = bench.finish(*program);
  INFO(run.out, run.err);
  CHECK(run.code == 0);
  CHECK(Result(bench).metric("check", "verify.bytes") == 16 << 20);
}

TEST_CASE("verify: a check that misses what a killed run owes says who makes it") {
  const Bench bench;
  const auto program = bench.start(job(
      "  - {name: load, size: 4MiB, layout: none, access: random, operations: write, duration: 60s, verify: write}\n"));
  REQUIRE(bench.wait_for(*program, R"("event":"tick","phase":"load","kind":"measure")"));
  program->signal(SIGKILL);
  bench.finish(*program);
  const std::string later = job("  - {name: later, verify: {manifest: out/load.manifest}}\n");
  const Finished early = bench.run(later);
  INFO(early.out, early.err);
  CHECK(early.code == 2);
  const std::string reason = Result(bench).reason("later");
  CHECK(reason.find("was cut off and still owes " + bench.path("out/load.manifest") + ": `diskproof cleanup` makes") !=
        std::string::npos);
  const Finished list = bench.diskproof({"cleanup", "--list"});
  INFO(list.out, list.err);
  CHECK(list.out.find("to do: make the manifest " + bench.path("out/load.manifest")) != std::string::npos);
  CHECK(bench.diskproof({"cleanup"}).code == 0);
  CHECK(bench.run(later).code == 0);
}

TEST_CASE("verify: that a run replaces the manifest of another one is said before") {
  const Bench bench;
  const Finished first = bench.run(job(kLoad));
  CHECK(first.err.find("replaces") == std::string::npos);
  const Finished second = bench.run(job(kLoad));
  INFO(second.out, second.err);
  CHECK(second.code == 0);
  CHECK(second.err.find("the run replaces " + bench.path("out/load.manifest") + ", the manifest of run ") !=
        std::string::npos);
}

TEST_CASE("verify: what another run wrote over it is told as that") {
  const Written disk;
  REQUIRE(disk.bench.run(job(kLoad)).code == 0);
  const Finished run = disk.bench.run(job(kLater));
  INFO(run.out, run.err);
  CHECK(run.code == 1);
  CHECK(disk.metric("stale") == 64 << 16);
  CHECK(run.out.find("data of another run") != std::string::npos);
}

TEST_CASE("verify: a manifest that is cut off or changed is refused before anything is read") {
  const Written disk;
  const std::string good = disk.bench.folder().read("load.manifest");
  std::string changed = good;
  changed[good.size() / 2] = static_cast<char>(changed[good.size() / 2] ^ 1);
  for (const std::string& bad : {good.substr(0, good.size() / 2), changed, std::string()}) {
    disk.bench.folder().write("load.manifest", bad);
    const Finished run = disk.bench.run(job(kLater));
    INFO(run.out, run.err);
    CHECK(run.code == 2);
    CHECK(run.out.find("load.manifest") != std::string::npos);
  }
}

TEST_CASE("verify: a run that would replace the manifest that it is to check is refused, and the manifest stays") {
  const Bench bench;
  REQUIRE(bench.run(job(kLoad)).code == 0);
  const std::string manifest = bench.folder().read("out/load.manifest");
  const Finished run =
      bench.run(job(std::string("  - {name: before, verify: {manifest: out/load.manifest}}\n") + kLoad));
  INFO(run.out, run.err);
  CHECK(run.code == 3);
  CHECK(run.err.find("which is what phase before is to check") != std::string::npos);
  CHECK(bench.folder().read("out/load.manifest") == manifest);
}

TEST_CASE("verify: a writer whose time is up has its manifest, and a check whose time is up is an error") {
  const Bench bench;
  const Finished run = bench.run(
      "diskproof: 1\nname: times\ndisks: {d: {virtual: {size: 64MiB}}}\ndefaults: {disk: d, engine: {name: sim, "
      "content: "
      "true, service_time: 20ms}, findings: {verify_limited: ignore}}\nphases:\n"
      "  - {name: load, access: random, operations: write, block_size: 4KiB, operations_count: 100000, timeout: 1s, "
      "verify: write}\n"
      "  - {name: check, verify: {of: load}}\n"
      "  - {name: late, queue_depth: 1, verify: {of: load}, timeout: 50ms}\n");
  INFO(run.out, run.err);
  CHECK(run.code == 2);
  const Result result(bench);
  CHECK(result.outcome("load") == "error");
  CHECK(result.outcome("check") == "pass");
  CHECK(result.metric("check", "verify.bytes") > 0);
  CHECK(result.outcome("late") == "error");
}

TEST_CASE("verify: a check whose writer is left out is refused, since it would check nothing") {
  const Bench bench;
  const std::string both = job(std::string(kLoad) + "  - {name: check, verify: {of: load}}\n");
  const Finished alone = bench.run(both, {"--only", "check"});
  INFO(alone.out, alone.err);
  CHECK(alone.code == 3);
  CHECK(alone.err.find("phase 'load' is left out by --only, so there is nothing to check") != std::string::npos);
  CHECK(bench.run(both, {"--only", "load"}).code == 0);
  CHECK(bench.run(both, {"--only", "load", "--only", "check"}).code == 0);
}

TEST_CASE("verify: a large sparse file is checked where it was written") {
  const Bench bench;
  const Finished run = bench.run(
      "diskproof: 1\nname: sparse\ndisks: {d: {virtual: {size: 1TiB}}}\ndefaults: {disk: d, engine: {name: sim, "
      "content: "
      "true, service_time: 10us}, findings: {verify_limited: ignore}}\nphases:\n"
      "  - {name: load, access: random, operations: write, block_size: 1MiB, operations_count: 100, verify: write}\n"
      "  - {name: check, verify: {of: load}}\n");
  INFO(run.out, run.err);
  CHECK(run.code == 0);
  CHECK(Result(bench).metric("check", "verify.bytes") == 100 << 20);
  const Finished fine = bench.run(
      "diskproof: 1\nname: sparse\ndisks: {d: {virtual: {size: 1TiB}}}\nphases:\n  - {name: load, disk: d, engine: "
      "sim, "
      "operations: write, block_size: 4KiB, operations_count: 100, verify: write}\n");
  INFO(fine.out, fine.err);
  CHECK(fine.code == 2);
  CHECK(Result(bench).reason("load").find("take a smaller size or larger blocks") != std::string::npos);
}

}  // namespace diskproof::testing
