// The commands beside `run`: they look, and leave everything as it is.
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

namespace fs = std::filesystem;

std::string read_source(const std::string& name) {
  std::ifstream file(DISKPROOF_SOURCE_DIR "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr const char* kDeviceJob = "gcp-persistent-disk.yaml";  // the only one that names devices

}  // namespace

TEST_CASE("engines lists each engine with whether it can be used") {
  const Bench bench;
  const Finished list = bench.diskproof({"engines"});
  CHECK(list.code == 0);
  CHECK(list.err == "");
  for (const std::string name : {"null", "sim", "sync"}) {
    CAPTURE(name);
    const auto at = list.out.find(std::string("\n") + name + " ");
    REQUIRE(at != std::string::npos);
    CHECK(list.out.substr(at, 40).find(" yes ") != std::string::npos);
  }
}

TEST_CASE("engines NAME shows one with its options, and a name that is not there is an error") {
  const Bench bench;
  const Finished one = bench.diskproof({"engines", "sim"});
  CHECK(one.code == 0);
  for (const std::string word :
       {"service_time", "available:   yes", "duration", "eio | enospc", "default 100us", "per engine"}) {
    CAPTURE(word);
    CHECK(one.out.find(word) != std::string::npos);
  }
  const Finished none = bench.diskproof({"engines", "smi"});
  CHECK(none.code == 2);
  CHECK(none.out == "");
  CHECK(none.err.find("did you mean sim?") != std::string::npos);
}

TEST_CASE("schema prints the schemas of jobs and reports") {
  const Bench bench;
  struct Row {
    const char *kind, *file;
  };
  for (const Row& row : {Row{"job", "schemas/job.schema.json"}, Row{"result", "schemas/result.schema.json"},
                         Row{"junit", "schemas/junit.xsd"}}) {
    CAPTURE(std::string(row.kind));
    const Finished schema = bench.diskproof({"schema", row.kind});
    CHECK(schema.code == 0);
    CHECK(schema.out == read_source(row.file));
    CHECK_FALSE(schema.out.empty());
  }
  CHECK(bench.diskproof({"schema"}).out == read_source("schemas/job.schema.json"));
  CHECK(bench.diskproof({"schema", "yaml"}).code == 3);
}

TEST_CASE("--version and --help answer on stdout") {
  const Bench bench;
  const Finished version = bench.diskproof({"--version"});
  CHECK(version.code == 0);
  CHECK(version.out.starts_with("diskproof "));
  const Finished help = bench.diskproof({"--help"});
  CHECK(help.code == 0);
  for (const std::string command : {"run", "check", "plan", "engines", "report", "presets", "schema", "cleanup"}) {
    CAPTURE(command);
    CHECK(help.out.find(command) != std::string::npos);
  }
}

TEST_CASE("every job that is delivered passes check, and plan without touching anything") {
  const Bench bench;
  int jobs = 0;
  for (const auto& entry : fs::recursive_directory_iterator(DISKPROOF_SOURCE_DIR "/jobs")) {
    if (entry.path().extension() != ".yaml") continue;
    ++jobs;
    const std::string job = entry.path().string();
    CAPTURE(job);
    const Finished check = bench.diskproof({"check", job});
    INFO(check.err);
    CHECK(check.code == 0);
    if (entry.path().filename() == kDeviceJob) continue;
    const Finished plan = bench.diskproof({"plan", job});
    INFO(plan.err);
    CHECK(plan.code == 0);
  }
  CHECK(jobs >= 2);
  CHECK(joined(bench.leftovers()) == "");
}

TEST_CASE("plan of the job for three devices is shown, and refused where they are not attached") {
  const std::string device = "/dev/disk/by-id/google-pd-standard";
  if (fs::exists(device)) {
    MESSAGE("skipped: this machine has the job's disks");
    return;
  }
  const Bench bench;
  const Finished plan = bench.diskproof({"plan", std::string(DISKPROOF_SOURCE_DIR "/jobs/") + kDeviceJob});
  INFO(plan.out, plan.err);
  CHECK(plan.code == 4);
  CHECK(plan.out.find(device) != std::string::npos);
  for (const std::string disk : {"standard", "balanced", "ssd"}) {
    CAPTURE(disk);
    CHECK(plan.err.find("disk " + disk + ": /dev/disk/by-id/google-pd-" + disk +
                        " does not exist; `diskproof devices` lists the devices") != std::string::npos);
  }
  CHECK(joined(bench.leftovers()) == "");
}

TEST_CASE("report writes every report of a run again, byte for byte, and the view of CrystalDiskMark") {
  const Bench bench;
  const Finished run = bench.run(
      "diskproof: 1\nname: again\ndisks: {d: {virtual: {size: 1GiB}, engine: {name: sim, service_time: 1ms}}}\n"
      "phases: [{name: load, disk: d, access: random, operations: read, duration: 200ms, repeat: {count: 3, discard: "
      "1}, "
      "thresholds: [read.iops >= 10]}]\n");
  INFO(run.out, run.err);
  REQUIRE(run.code == 0);
  const auto file_text = [&](const std::string& name) {
    std::ifstream file(bench.folder().path("out/" + name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string folder = bench.folder().path("out");
  CHECK(bench.diskproof({"report", folder, "--format", "json"}).out == file_text("result.json"));
  CHECK(bench.diskproof({"report", folder + "/result.json", "--format", "junit"}).out == file_text("junit.xml"));
  const Finished terminal = bench.diskproof({"report", folder});
  CHECK(terminal.out.find("read.iops >= 10") != std::string::npos);
  const Finished cdm = bench.diskproof({"report", folder, "--format", "cdm"});
  CHECK(cdm.code == 0);
  for (const std::string words : {"[Read]\n  RND    4KiB (Q=  1, T= 1): ", " MB/s [", "(x2)", "median"}) {
    CAPTURE(words);
    CHECK(cdm.out.find(words) != std::string::npos);
  }
}

TEST_CASE("report of what is no result says so") {
  const Bench bench;
  bench.folder().write("result.json", "{}");
  CHECK(bench.diskproof({"report", bench.folder().path("result.json")}).code == 2);
  const Finished none = bench.diskproof({"report", "nothing-here"});
  CHECK(none.code == 2);
  CHECK(none.err.find("nothing-here") != std::string::npos);
  CHECK(bench.diskproof({"report", "x", "--format", "html"}).code == 3);
}

TEST_CASE("plan shows each phase with its resolved values, as text and as JSON, and creates nothing") {
  const Bench bench;
  const std::string job = bench.folder().write(
      "job.yaml",
      "diskproof: 1\nname: planned\nvars: {size: 2MiB}\ndisks: {d: {file: target.dat, fill: true}}\n"
      "phases: [{name: load, disk: d, size: \"${size}\", engine: [nothere, sync], operations: write, duration: 7s, "
      "thresholds: [write.iops >= 10]}]\n");
  const Finished text = bench.diskproof({"plan", job, "--set", "size=4MiB"});
  INFO(text.out, text.err);
  CHECK(text.code == 0);
  for (const std::string word : {"layout/d", "load", "4 MiB", "sync", "7 s", "write.iops >= 10", "target.dat"}) {
    CAPTURE(word);
    CHECK(text.out.find(word) != std::string::npos);
  }
  const Finished machine = bench.diskproof({"plan", job, "--json"});
  CHECK(machine.code == 0);
  const Json plan = Json::parse(machine.out, nullptr, false);
  REQUIRE(plan.is_object());
  CHECK(plan.at("phases").at(1).at("name") == "load");
  CHECK(plan.at("phases").at(1).at("engine").at("name") == "sync");
  CHECK(plan.at("phases").at(1).at("region_size") == 2 << 20);
  CHECK(joined(bench.leftovers()) == "");
}

}  // namespace diskproof::testing
