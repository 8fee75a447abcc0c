// Keys of a phase's load that contradict each other: each combination gives one diagnostic of its own, at its place.
#include <doctest/doctest.h>
#include <set>

#include "unit/job/job_text.hpp"

using namespace diskproof;

namespace {

struct Row {
  std::string name;
  std::string keys;  // of the only phase; the first stands in line 9, column 5
  std::string says;  // the only diagnostic; empty: none
};

std::string on_file(std::string_view keys) {
  std::string text = test::job_with_phase(keys);
  const std::string before = "data: {virtual: {size: 1GiB}}";
  return text.replace(text.find(before), before.size(), "data: {file: x}");
}

const Row kWrong[]{
    {"calls of more than the queue holds", "duration: 1s\nqueue_depth: 4\nbatch: 8",
     "11:5 error: phases[0].batch: calls of 8 operations cannot be made with queue_depth 4, the most in flight; use "
     "batch: 4, batch: auto, or queue_depth: 8"},
    {"thought and a rate", "duration: 1s\nrate: {iops: 5}\nthink_time: 1ms",
     "11:5 error: phases[0].think_time: says when operations start, and so does rate; keep one of the two"},
    {"thought longer than the phase", "duration: 1s\nthink_time: 1s",
     "10:5 error: phases[0].think_time: is not shorter than the duration, so no place in the queue would be used "
     "twice; use a shorter one"},
    {"durable reads", "duration: 1s\nsync: dsync",
     "10:5 error: phases[0].sync: the phase writes nothing that could be made durable; remove it, or write"},
    {"durable writes of a virtual disk", "duration: 1s\noperations: write\nsync: sync",
     "11:5 error: phases[0].sync: has no meaning on a virtual disk, which opens no file; use `fsync`, which engines "
     "are asked for"},
    {"flushes of reads", "duration: 1s\nfsync: {every: 5}",
     "10:5 error: phases[0].fsync: the phase writes nothing that could be flushed; remove it, or write"},
    {"flushes without a time", "duration: 1s\noperations: write\nfsync: {data_only: true}",
     "11:12 error: phases[0].fsync: does not say when to flush; add every: N (writes), end: true or both"},
    {"flushes that never come", "operations_count: 100\nthreads: 2\noperations: write\nfsync: {every: 51}",
     "12:13 error: phases[0].fsync.every: a thread does at most 50 operations of 100, so no flush would ever come; use "
     "a smaller number, or end: true"},
    {"more compressible than all", "duration: 1s\noperations: write\ndata: {compressible: 120%}",
     "11:12 error: phases[0].data.compressible: 120% is more than the whole"},
    {"all zeros that dedupe", "duration: 1s\noperations: write\ndata: {compressible: 100%, dedupe: 10%}",
     "11:32 error: phases[0].data.dedupe: data that is compressible by 100% is all zeros, and all the same; remove it, "
     "or lower compressible"},
    {"data of nothing written", "duration: 1s\ndata: {dedupe: 10%}",
     "10:5 error: phases[0].data: the phase writes nothing, and no layout is written for it; remove it, or use layout: "
     "written"},
};

}  // namespace

TEST_CASE("load rules: words of fio are answered with those of a job") {
  const Row rows[]{
      {"rw", "rw: randread", "write operations: read, write, trim or a mix, and access: sequential or random"},
      {"bs", "bs: 4KiB", "that is block_size"},
      {"iodepth", "iodepth: 4", "that is queue_depth"},
      {"numjobs", "numjobs: 4", "that is threads"},
      {"runtime", "runtime: 4s", "that is duration"},
      {"ramp_time", "ramp_time: 4s", "that is warmup"},
      {"ioengine", "ioengine: libaio", "that is engine"},
      {"filename", "filename: x", "name it under `disks`, such as data: {file: PATH}, and write disk: data here"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const std::string found =
        test::joined(load_job_text(test::job_with_phase("duration: 1s\n" + row.keys), "t").diagnostics);
    CHECK(found == "t:10:5 error: phases[0]." + row.name + ": unknown key; " + row.says + "\n");
  }
  const std::string flushed = test::joined(
      load_job_text(test::job_with_phase("duration: 1s\noperations: write\nsync: fsync"), "t").diagnostics);
  CHECK(flushed ==
        "t:11:11 error: phases[0].sync: 'fsync' is not one of none, dsync, sync; write fsync: {every: 1} for a flush "
        "after each write, or sync: dsync\n");
}

TEST_CASE("load rules: ten wrong combinations each give their own diagnostic") {
  std::set<std::string> messages;
  for (const Row& row : kWrong) {
    CAPTURE(row.name);
    const std::string found = test::joined(load_job_text(test::job_with_phase(row.keys), "t").diagnostics);
    CHECK(found == "t:" + row.says + "\n");
    messages.insert(row.says.substr(row.says.find(": ", row.says.find("phases[0]"))));
  }
  CHECK(std::size(kWrong) >= 10);
  CHECK(messages.size() == std::size(kWrong));
}

TEST_CASE("load rules: on a file") {
  for (const Row& row :
       {Row{"flushes of what is durable already",
            "duration: 1s\nsize: 1MiB\noperations: write\nsync: sync\nfsync: {end: true}",
            "13:5 error: phases[0].fsync: sync: sync makes every write durable before it is acknowledged, so a flush "
            "would find nothing; keep one of the two"},
        {"flushes of data that is durable already",
         "duration: 1s\nsize: 1MiB\noperations: write\nsync: dsync\nfsync: {end: true, data_only: true}",
         "13:5 error: phases[0].fsync: sync: dsync makes the data of every write durable already, so fdatasync would "
         "find nothing; keep one of the two, or flush metadata too with data_only: false"},
        {"durable data and flushed metadata",
         "duration: 1s\nsize: 1MiB\noperations: write\nsync: dsync\nfsync: {end: true}", ""},
        {"reads of data that the layout writes", "duration: 1s\nsize: 1MiB\ndata: {compressible: 50%}", ""},
        {"everything that goes together",
         "operations_count: 100\nsize: 1MiB\noperations: {read: 50%, write: 40%, trim: 10%}\nsync: dsync\nfsync: "
         "{every: "
         "10, end: true}\nthink_time: 1ms\ndata: {compressible: 50%, dedupe: 30%}",
         ""}}) {
    CAPTURE(row.name);
    const std::string found = test::joined(load_job_text(on_file(row.keys), "t").diagnostics);
    CHECK(found == (row.says.empty() ? "" : "t:" + row.says + "\n"));
  }
}

TEST_CASE("load rules: what a phase inherits and has no use for is no fault") {
  const std::string text =
      "diskproof: 1\nname: t\ndisks: {d: {file: x, engine: sync}}\n"
      "defaults: {sync: dsync, fsync: {every: 5}, data: {dedupe: 5%}, size: 1MiB, duration: 1s, disk: d}\n"
      "phases:\n  - {name: reads}\n  - {name: writes, operations: write}\n";
  CHECK(test::joined(load_job_text(text, "t").diagnostics).empty());
}

TEST_CASE("load rules: what an earlier phase trimmed cannot be read") {
  const std::string text =
      "diskproof: 1\nname: t\ndisks: {d: {file: x, engine: sync}}\ndefaults: {size: 1MiB, duration: 1s, disk: d}\n"
      "phases:\n  - {name: before}\n  - {name: trims, operations: {write: 90%, trim: 10%}}\n"
      "  - {name: writes, operations: write}\n  - {name: after, operations: read}\n";
  CHECK(
      test::joined(load_job_text(text, "t").diagnostics) ==
      "t:9:19 error: phases[3].operations: reads what phase 'trims' trimmed: holes, which no disk has to look up; put "
      "this phase before that one, or use another disk\n");
}

TEST_CASE("load rules: what a phase of the same group trims cannot be read either, whatever their order") {
  for (const std::string group : {"rounds: {count: 2}\n    phases", "parallel"}) {
    CAPTURE(group);
    const std::string text =
        "diskproof: 1\nname: t\ndisks: {d: {file: x, engine: sync}}\ndefaults: {size: 1MiB, duration: 1s, disk: d}\n"
        "phases:\n  - name: g\n    " +
        group +
        ":\n      - {name: reads, operations: read}\n      - {name: trims, operations: {write: 90%, trim: 10%}}\n";
    const auto diagnostics = load_job_text(text, "t").diagnostics;
    REQUIRE(diagnostics.size() == 1);
    CHECK(diagnostics[0].path.ends_with("[0].operations"));
    CHECK(diagnostics[0].hint == "use another disk");
  }
}
