// What must not be written to is not, and the reports say why.
#include <doctest/doctest.h>
#include <filesystem>
#include <functional>

#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

namespace fs = std::filesystem;

std::string file_job(const std::string& disk_keys) {
  return "diskproof: 1\nname: careful\ndisks: {d: {fill: true, " + disk_keys +
         "}}\n"
         "defaults: {engine: sync, direct: false, operations_count: 64, findings: {on_tmpfs: ignore}}\n"
         "phases: [{name: load, disk: d, size: 1MiB, operations: write, thresholds: [write.operations == 64]}]\n";
}

struct Refusal {
  const char* name;
  std::function<void(const Bench&)> arrange;
  const char* disk;
  const char* complaint;
};

const std::string kForeign(300'000, 'f');

const Refusal kRefusals[] = {
    {"a foreign file", [](const Bench& bench) { bench.folder().write("work/target.dat", kForeign); },
     "file: target.dat", "overwrite"},
    {"a symbolic link, also where overwriting is allowed",
     [](const Bench& bench) {
       bench.folder().write("work/victim.dat", kForeign);
       fs::create_symlink("victim.dat", bench.file("target.dat"));
     },
     "file: target.dat, overwrite: true", "symbolic link"},
    {"a folder", [](const Bench& bench) { fs::create_directory(bench.file("target.dat")); },
     "file: target.dat, overwrite: true", "target.dat"},
    {"a device", [](const Bench&) {}, "file: /dev/null, overwrite: true", "/dev/null"},
    {"a marker that was tampered with",
     [](const Bench& bench) {
       bench.folder().write("work/target.dat", kForeign);
       bench.folder().write("work/target.dat.diskproof", "{\"diskproof_marker\": 1}");
     },
     "file: target.dat", "marker"},
    {"somebody else's file where the marker would be, also where overwriting is allowed",
     [](const Bench& bench) { bench.folder().write("work/target.dat.diskproof", kForeign); },
     "file: target.dat, overwrite: true", "marker"},
};

// Everything below the working directory with its content.
std::map<std::string, std::uint64_t> contents(const Bench& bench) {
  std::map<std::string, std::uint64_t> all;
  for (const auto& entry : fs::recursive_directory_iterator(bench.path("work"))) {
    const bool regular = entry.symlink_status().type() == fs::file_type::regular;
    all[entry.path().string()] = regular ? content_hash(entry.path().string()) : 0;
  }
  return all;
}

}  // namespace

TEST_CASE("what was not made by the program is not overwritten: exit 4, reports, nothing changed") {
  for (const Refusal& refusal : kRefusals) {
    CAPTURE(std::string(refusal.name));
    const Bench bench;
    refusal.arrange(bench);
    const auto before = contents(bench);
    const Finished run = bench.run(file_job(refusal.disk));
    INFO(run.out, run.err);
    CHECK(run.code == 4);
    CHECK(contents(bench) == before);
    CHECK(bench.processes().empty());
    CHECK(fs::is_empty(bench.path("state/diskproof")));

    const Junit junit = read_junit(bench);
    for (const std::string name : {"runs", "write.operations == 64"}) {
      const JunitEntry entry = junit.at("load", name);
      CHECK(entry.end == "error");
      CHECK(entry.message.find(refusal.complaint) != std::string::npos);
    }
    const Result result(bench);
    CHECK(result.json().at("exit_code") == 4);
    CHECK(result.json().at("reason").get<std::string>().find(refusal.complaint) != std::string::npos);
    CHECK_FALSE(result.has_metric("load", "write.iops"));
    CHECK(run.out.find("REFUSED") != std::string::npos);
  }
}

TEST_CASE("a folder that is missing is an error of its own, not a danger: exit 2, reports, nothing made") {
  for (const std::string keys :
       {"file: nowhere/target.dat", "directory: nowhere", "loop: {image: nowhere/d.img, size: 4MiB}"}) {
    CAPTURE(keys);
    const Bench bench;
    const Finished run = bench.run(file_job(keys), {"--quiet"});
    INFO(run.out, run.err);
    CHECK(run.code == 2);
    CHECK(run.err.find("there is no folder " + bench.file("nowhere") + "; create it first") != std::string::npos);
    CHECK(read_junit(bench).at("load", "runs").message.find("there is no folder") != std::string::npos);
    CHECK(joined(bench.leftovers()) == "");
    const Finished planned = bench.diskproof({"plan", bench.path("job.yaml")});
    CHECK(planned.code == 2);
    CHECK(planned.err.find("there is no folder") != std::string::npos);
  }
}

TEST_CASE("the reports of a refused run are valid") {
  const Bench bench;
  kRefusals[0].arrange(bench);
  REQUIRE(bench.run(file_job(kRefusals[0].disk)).code == 4);
  CHECK(schema_complaint(bench) == "");
}

TEST_CASE("a foreign file is overwritten where the job allows it, and stays") {
  const Bench bench;
  kRefusals[0].arrange(bench);
  const std::uint64_t before = content_hash(bench.file("target.dat"));
  const Finished run = bench.run(file_job("file: target.dat, overwrite: true"));
  INFO(run.out, run.err);
  CHECK(run.code == 0);
  CHECK(joined(bench.leftovers()) == "work/target.dat");
  CHECK(content_hash(bench.file("target.dat")) != before);
}

TEST_CASE("a kept file is used again without being written anew, and may be used again") {
  const Bench bench;
  const std::string job = file_job("file: target.dat, keep: true");
  REQUIRE(bench.run(job).code == 0);
  CHECK(joined(bench.leftovers()) == "work/target.dat, work/target.dat.diskproof");
  const Finished again = bench.run(job);
  INFO(again.out, again.err);
  REQUIRE(again.code == 0);
  CHECK(joined(bench.leftovers()) == "work/target.dat, work/target.dat.diskproof");
  CHECK(Result(bench).reason("layout/d").find("earlier run") != std::string::npos);
}

TEST_CASE("a kept file that somebody else wrote to is not used again") {
  const Bench bench;
  const std::string job = file_job("file: target.dat, keep: true");
  REQUIRE(bench.run(job).code == 0);
  bench.folder().write("work/target.dat", kForeign);
  const Finished again = bench.run(job);
  INFO(again.out, again.err);
  CHECK(again.code == 4);
  CHECK(bench.folder().read("work/target.dat") == kForeign);
}

TEST_CASE("a layout that would fill the file system is refused unless the job says fill") {
  const Bench bench;
  const auto space = fs::space(bench.path("work"));
  const std::string size = std::to_string((space.available >> 30) - 2) + "GiB";
  const std::string phase = "phases: [{name: load, disk: d, size: " + size +
                            ", thresholds: [total.errors == 0], engine: sync, direct: false, operations_count: 1}]\n";
  const Finished run = bench.run("diskproof: 1\nname: full\ndisks: {d: {file: target.dat}}\n" + phase);
  INFO(run.out, run.err);
  CHECK(run.code == 4);
  CHECK(joined(bench.leftovers()) == "");
  CHECK(run.out.find("fill: true") != std::string::npos);
}

TEST_CASE(
    "a report that would replace a file of a disk, its marker, the job or another report: exit 3, nothing touched") {
  struct Row {
    const char *disk, *junit, *complaint;
  };
  const Row rows[]{
      {"file: target.dat, overwrite: true", "target.dat", "--junit target.dat is the file of disk d"},
      {"file: target.dat, overwrite: true", "./TARGET.dat", "is the file of disk d"},
      {"file: target.dat, overwrite: true", "link.dat", "is the file of disk d"},
      {"file: target.dat, overwrite: true", "target.dat.diskproof", "is the layout marker of disk d"},
      {"file: \"${out}/result.json\"", "", "result.json of --out"},
      {"file: \"${out}/junit.xml\"", "", "junit.xml of --out"},
      {"file: \"${out}\"", "", "is the file of disk d"},
      {"file: other.dat", "../out/result.json", "is the run's own result.json"},
      {"file: other.dat", "../out/junit.xml", "is the run's own junit.xml"},
      {"file: other.dat", "../job.yaml", "is the job file itself"},
      {"directory: ., keep: true", "diskproof-careful-d/t0.dat", "is the file of disk d"},
      {"directory: ., keep: true", "diskproof-careful-d/more.xml", "inside the work folder of disk d"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.disk));
    CAPTURE(std::string(row.junit));
    const Bench bench;
    bench.folder().write("work/target.dat", kForeign);
    fs::create_symlink("target.dat", bench.file("link.dat"));
    const auto before = contents(bench);
    const std::vector<std::string> more =
        *row.junit == '\0' ? std::vector<std::string>{} : std::vector<std::string>{"--junit", row.junit};
    const Finished run = bench.run(file_job(row.disk), more);
    INFO(run.out, run.err);
    CHECK(run.code == 3);
    CHECK(run.err.find(row.complaint) != std::string::npos);
    CHECK(contents(bench) == before);
    CHECK_FALSE(fs::exists(bench.path("out")));
    CHECK(content_hash(bench.path("job.yaml")) != 0);
  }
}

}  // namespace diskproof::testing
