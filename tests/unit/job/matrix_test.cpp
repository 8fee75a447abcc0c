// A matrix becomes its cells: which there are, what they are called, what each of them says.
#include <doctest/doctest.h>

#include "unit/job/job_text.hpp"

using namespace diskproof;

namespace {

LoadedJob load_phases(const std::string& phases, const std::string& defaults = "{duration: 1s}") {
  return load_job_text(
      "diskproof: 1\nname: t\nvars: {big: 64KiB}\ndisks: {v: {virtual: {size: 1GiB}, engine: sim}}\ndefaults: " +
          defaults + "\nphases:\n" + phases,
      "t");
}

std::string names(const LoadedJob& loaded) {
  std::string text;
  for (const Phase& phase : loaded.job.phases) text += (text.empty() ? "" : " ") + phase.name;
  return text;
}

// Of a job without faults.
std::string good_names(const std::string& phases) {
  const LoadedJob loaded = load_phases(phases);
  const std::string faults = test::joined(loaded.diagnostics);
  CHECK(faults == "");
  return names(loaded);
}

}  // namespace

TEST_CASE("matrix: 3 x 3 x 2 gives 18 phases with stable names, the last list turning fastest") {
  const LoadedJob loaded = load_phases(
      "  - name: mix\n    disk: v\n    matrix:\n      block_size: [4KiB, 16KiB, 64KiB]\n"
      "      operations: [read, write, {read: 50%, write: 50%}]\n      queue_depth: [1, 32]\n");
  CHECK(test::joined(loaded.diagnostics) == "");
  REQUIRE(loaded.job.phases.size() == 18);
  CHECK(loaded.job.phases[0].name == "mix/block_size=4KiB/operations=read/queue_depth=1");
  CHECK(loaded.job.phases[1].name == "mix/block_size=4KiB/operations=read/queue_depth=32");
  CHECK(loaded.job.phases[2].name == "mix/block_size=4KiB/operations=write/queue_depth=1");
  CHECK(loaded.job.phases[5].name == "mix/block_size=4KiB/operations=r50w50/queue_depth=32");
  CHECK(loaded.job.phases[6].name == "mix/block_size=16KiB/operations=read/queue_depth=1");
  CHECK(loaded.job.phases[17].name == "mix/block_size=64KiB/operations=r50w50/queue_depth=32");
  CHECK(loaded.job.phases[17].block_size == 65536);
  CHECK(loaded.job.phases[17].operations.write == 50);
  CHECK(loaded.job.phases[17].queue_depth == 32);
  CHECK(loaded.job.phases[17].stop.value == 1'000'000'000);
}

TEST_CASE("matrix: a value has one name, however it is written") {
  CHECK(good_names("  - {name: a, disk: v, matrix: {block_size: [4096B, 1024KiB, 1000kB]}, direct: false}\n") ==
        "a/block_size=4KiB a/block_size=1MiB a/block_size=1MB");
  CHECK(good_names("  - {name: a, disk: v, matrix: {duration: [1000ms, 60s, 90s]}}\n") ==
        "a/duration=1s a/duration=1min a/duration=90s");
  CHECK(good_names("  - {name: a, disk: v, matrix: {size: [50.0%, 100%], queue_depth: [08]}}\n") ==
        "a/size=50pct/queue_depth=8 a/size=100pct/queue_depth=8");
  CHECK(good_names("  - {name: a, disk: v, matrix: {access: [random, {zipf: 1.2}, {hotspot: {10%: 90%}}]}}\n") ==
        "a/access=random a/access=zipf1.2 a/access=hotspot10pct90pct");
  CHECK(good_names("  - {name: a, disk: v, matrix: {block_size: [{4KiB: 50%, 32KiB: 50%}]}}\n") ==
        "a/block_size=4KiB50pct-32KiB50pct");
  CHECK(good_names("  - {name: a, disk: v, matrix: {engine: [sim, {name: sim, service_time: 1ms}]}}\n") ==
        "a/engine=sim a/engine=sim-service_time1ms");
}

TEST_CASE("matrix: a map is compared by what it says, not by the order of its keys") {
  CHECK(
      good_names("  - {name: a, disk: v, matrix: {operations: [{write: 30%, trim: 20%, read: 50%}, {trim: 100%, read: "
                 "0%}]}}\n") == "a/operations=r50w30t20 a/operations=trim");
  CHECK(good_names("  - {name: a, disk: v, matrix: {block_size: [{32KiB: 50%, 4096B: 50%}, {8KiB: 100%}]}}\n") ==
        "a/block_size=4KiB50pct-32KiB50pct a/block_size=8KiB");
  CHECK(good_names("  - {name: a, disk: v, matrix: {engine: [{service_time: 1ms, name: sim, jitter: 5%}]}}\n") ==
        "a/engine=sim-jitter5pct-service_time1ms");
  const LoadedJob extended = load_phases(
      "  - {name: a, disk: v, matrix: {operations: [read, {read: 50%, write: 50%}], include: [{operations: {write: "
      "50%, "
      "read: 50%}, threads: 2}]}}\n");
  CHECK(test::joined(extended.diagnostics) == "");
  CHECK(names(extended) == "a/operations=read a/operations=r50w50/threads=2");
  CHECK(
      good_names("  - {name: a, disk: v, matrix: {operations: [write, {read: 50%, write: 50%}], exclude: [{operations: "
                 "{write: 50%, read: 50%}}]}}\n") == "a/operations=write");
}

TEST_CASE("matrix: its values stand for ${key} in names, thresholds and values") {
  const LoadedJob loaded = load_phases(
      "  - name: \"rand ${block_size}\"\n    disk: v\n    size: \"${big}\"\n    region: {from: 0B, size: "
      "\"${block_size}\"}\n"
      "    matrix: {block_size: [4KiB, \"${big}\"], queue_depth: [1, 2]}\n"
      "    thresholds: [\"read.iops >= 1${queue_depth}\"]\n");
  CHECK(test::joined(loaded.diagnostics) == "");
  CHECK(names(loaded) ==
        "rand 4KiB/queue_depth=1 rand 4KiB/queue_depth=2 rand 64KiB/queue_depth=1 rand 64KiB/queue_depth=2");
  CHECK(loaded.job.phases[3].thresholds[0].check == "read.iops >= 12");
  CHECK(loaded.job.phases[3].region.size->bytes == std::uint64_t{65536});
}

TEST_CASE("matrix: exclude leaves out every cell that agrees, include adds cells or keys") {
  CHECK(good_names("  - name: a\n    disk: v\n    matrix:\n      block_size: [4KiB, 64KiB]\n      queue_depth: [1, 2]\n"
                   "      exclude: [{block_size: 65536B, queue_depth: 2}]\n") ==
        "a/block_size=4KiB/queue_depth=1 a/block_size=4KiB/queue_depth=2 a/block_size=64KiB/queue_depth=1");
  CHECK(
      good_names("  - {name: a, disk: v, matrix: {queue_depth: [1, 2], include: [{queue_depth: 8, threads: 2}]}}\n") ==
      "a/queue_depth=1 a/queue_depth=2 a/queue_depth=8/threads=2");
  const LoadedJob extended =
      load_phases("  - {name: a, disk: v, matrix: {queue_depth: [1, 2], include: [{queue_depth: 2, threads: 4}]}}\n");
  CHECK(test::joined(extended.diagnostics) == "");
  CHECK(extended.job.phases[0].threads == 1);
  CHECK(extended.job.phases[1].threads == 4);
}

TEST_CASE("matrix: that of defaults is every phase's, and merges with its own") {
  const LoadedJob loaded =
      load_phases("  - {name: a, disk: v}\n  - {name: b, disk: v, matrix: {threads: [2], queue_depth: [4]}}\n",
                  "{duration: 1s, matrix: {queue_depth: [1, 2]}}");
  CHECK(test::joined(loaded.diagnostics) == "");
  CHECK(names(loaded) == "a/queue_depth=1 a/queue_depth=2 b/queue_depth=4/threads=2");
}

TEST_CASE("matrix: that of a group gives groups, whose phases inherit its values and have names of their own") {
  const LoadedJob loaded = load_phases(
      "  - name: pair\n    disk: v\n    matrix: {queue_depth: [1, 8]}\n    parallel:\n"
      "      - {name: a, matrix: {threads: [1, 2]}}\n      - {name: \"b ${queue_depth}\"}\n");
  CHECK(test::joined(loaded.diagnostics) == "");
  REQUIRE(loaded.job.groups.size() == 2);
  CHECK(loaded.job.groups[1].name == "pair/queue_depth=8");
  CHECK(names(loaded) ==
        "a/queue_depth=1/threads=1 a/queue_depth=1/threads=2 b 1 a/queue_depth=8/threads=1 a/queue_depth=8/threads=2 b "
        "8");
  CHECK(loaded.job.phases[3].queue_depth == 8);
  CHECK(loaded.job.phases[4].threads == 2);
}

TEST_CASE("matrix: a fault is placed at its value, names the cell, and is said once") {
  struct Row {
    std::string name, phases, says;
  };
  for (const Row& row : std::vector<Row>{
           {"bad value", "  - {name: a, disk: v, matrix: {queue_depth: [1, 0]}}\n",
            "t:7:50 error: phases[0].queue_depth (cell a/queue_depth=0): 0 is outside 1 to 65536\n"},
           {"bad key", "  - {name: a, disk: v, matrix: {queue_dept: [1, 2]}}\n",
            "t:7:46 error: phases[0].queue_dept (cell a/queue_dept=1): unknown key; did you mean queue_depth?\n"
            "t:7:49 error: phases[0].queue_dept (cell a/queue_dept=2): unknown key; did you mean queue_depth?\n"},
           {"a fault that all cells have", "  - {name: a, disk: v, threads: 0, matrix: {queue_depth: [1, 2, 3]}}\n",
            "t:7:33 error: phases[0].threads (cell a/queue_depth=1): 0 is outside 1 to 4096\n"},
           {"behind a matrix, numbers are those of the file",
            "  - {name: a, disk: v, matrix: {queue_depth: [1, 2]}}\n  - {name: b, disk: v, threads: 0}\n",
            "t:8:33 error: phases[1].threads: 0 is outside 1 to 4096\n"}}) {
    CAPTURE(row.name);
    const std::string found = test::joined(load_phases(row.phases).diagnostics);
    CHECK(found == row.says);
  }
}

TEST_CASE("matrix: what is wrong with it is said") {
  struct Row {
    std::string name, matrix, says;
  };
  for (const Row& row : std::vector<Row>{
           {"no map", "5", "t:7:32 error: phases[0].matrix: '5' is not a map"},
           {"no list", "{threads: 2}", "t:7:42 error: phases[0].matrix.threads: '2' is not a list"},
           {"an empty list", "{threads: []}",
            "t:7:42 error: phases[0].matrix.threads: is an empty list; at least one entry is needed"},
           {"nothing", "{}", "t:7:32 error: phases[0].matrix: is an empty map; at least one entry is needed"},
           {"twice", "{block_size: [4KiB, 4096B]}",
            "t:7:52 error: phases[0].matrix.block_size[1]: 4KiB is listed twice; list each value once"},
           {"a mix twice", "{operations: [{read: 50%, write: 50%}, {write: 50%, read: 50%}]}",
            "t:7:71 error: phases[0].matrix.operations[1]: r50w50 is listed twice; list each value once"},
           {"a mix of one", "{operations: [read, {read: 100%}]}",
            "t:7:52 error: phases[0].matrix.operations[1]: read is listed twice; list each value once"},
           {"names", "{name: [a, b]}",
            "t:7:33 error: phases[0].matrix.name: cannot differ between the cells of a matrix"},
           {"an exclude that matches nothing", "{threads: [1, 2], exclude: [{threads: 3}]}",
            "t:7:60 error: phases[0].matrix.exclude[0]: matches no cell; name values that the lists have"},
           {"an exclude of another key", "{threads: [1, 2], exclude: [{thread: 1}]}",
            "t:7:61 error: phases[0].matrix.exclude[0].thread: is not a list of the matrix; did you mean threads?"},
           {"everything excluded", "{threads: [1], exclude: [{threads: 1}]}",
            "t:7:32 error: phases[0].matrix: leaves no cell; let `exclude` leave one"},
           {"an include that is there", "{threads: [1, 2], include: [{threads: 2}]}",
            "t:7:60 error: phases[0].matrix.include[0]: is a cell already; add a key to it, or another value"},
           {"too many",
            "{threads: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], queue_depth: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], warmup: [0s, "
            "1s, 2s, 3s, 4s, 5s, 6s, 7s, 8s, 9s]}",
            "t:7:32 error: phases[0].matrix: gives 1100 cells; at most 1000 are left for it; shorten its lists: a job "
            "has at most 1000 phases"}}) {
    CAPTURE(row.name);
    const std::string found =
        test::joined(load_phases("  - {name: a, disk: v, matrix: " + row.matrix + "}\n").diagnostics);
    CHECK(found == row.says + "\n");
  }
}

TEST_CASE("matrix: together, matrices are bounded like phases") {
  std::string list = "[";
  for (int i = 1; i <= 600; ++i) list += (i == 1 ? "" : ", ") + std::to_string(i);
  list += "]";
  const LoadedJob loaded = load_phases("  - {name: a, disk: v, matrix: {queue_depth: " + list + "}}\n" +
                                       "  - {name: b, disk: v, matrix: {queue_depth: " + list + "}}\n");
  const std::string found = test::joined(loaded.diagnostics);
  INFO(found.substr(0, 500));
  CHECK(found.find("phases[1].matrix: gives 600 cells; at most 400 are left for it") != std::string::npos);
}

TEST_CASE("inheritance: maps merge, lists replace, and a stop rule of the phase or its matrix replaces the inherited") {
  const LoadedJob loaded = load_phases(
      "  - {name: own, disk: v, bytes: 1MiB, limits: {read.iops: 5}, thresholds: [read.iops >= 1]}\n"
      "  - {name: axis, disk: v, matrix: {operations_count: [10, 20]}}\n",
      "{duration: 1s, limits: {read.iops: 9, write.iops: 7}, thresholds: [read.iops >= 2, read.errors == 0]}");
  CHECK(test::joined(loaded.diagnostics) == "");
  const Phase& own = loaded.job.phases.at(0);
  CHECK(own.stop.kind == StopRule::Kind::bytes);
  CHECK(own.limits.at(0).values == std::map<std::string, double>{{"read.iops", 5}, {"write.iops", 7}});
  REQUIRE(own.thresholds.size() == 1);
  CHECK(own.thresholds[0].check == "read.iops >= 1");
  CHECK(loaded.job.phases.at(1).stop.kind == StopRule::Kind::operations);
  CHECK(loaded.job.phases.at(2).stop.value == 20);
  CHECK(loaded.job.phases.at(2).thresholds.size() == 2);
}

TEST_CASE("inheritance: a phase's rate replaces the inherited one, whatever it counts, and keeps the arrival") {
  const LoadedJob loaded = load_phases(
      "  - {name: bytes, disk: v, rate: {bandwidth: 4MB/s}}\n  - {name: same, disk: v, rate: {arrival: constant}}\n",
      "{duration: 1s, rate: {iops: 100, arrival: poisson}}");
  CHECK(test::joined(loaded.diagnostics) == "");
  const LoadRate& bytes = loaded.job.phases.at(0).rate.value();
  CHECK(!bytes.iops);
  CHECK(bytes.bandwidth.value().number == 4e6);
  CHECK(bytes.arrival == Arrival::poisson);
  const LoadRate& same = loaded.job.phases.at(1).rate.value();
  CHECK(same.iops.value().number == 100);
  CHECK(same.arrival == Arrival::constant);
}
