// Wrong combinations of the keys around a phase, each with a diagnostic of its own.
#include <doctest/doctest.h>

#include "job/phase_names.hpp"
#include "unit/job/job_text.hpp"

using namespace diskproof;

namespace {

// What loading says of three phases on a file, the second of which has `keys` in line 7.
std::string says(const std::string& keys) {
  const LoadedJob loaded = load_job_text(
      "diskproof: 1\nname: t\ndisks: {d: {file: x.dat, engine: sync}}\ndefaults: {size: 1MiB, disk: d}\nphases:\n"
      "  - {name: first, duration: 1s}\n"
      "  - {name: own, " +
          keys +
          "}\n"
          "  - {name: last, duration: 1s}\n",
      "t");
  return test::joined(loaded.diagnostics);
}

}  // namespace

TEST_CASE("structure rules: what holds together is silent") {
  for (const char* keys :
       {"duration: 1s, pause: 5s, requires: [first], optional: true", "precondition: {sequential: 2, random: 1}",
        "duration: 1s, precondition: {random: 1, block_size: 4KiB}, abort: [read.iops < 5 for 200ms]"}) {
    CAPTURE(keys);
    const std::string found = says(keys);
    CHECK(found == "");
  }
}

TEST_CASE("structure rules: each wrong combination has a diagnostic of its own") {
  struct Row {
    std::string keys, says;
  };
  for (
      const Row& row : std::vector<Row>{
          {"duration: 1s, requires: [fist]",
           "t:7:42 error: phases[1].requires[0]: 'fist' is not a phase of this job; did you mean first?"},
          {"duration: 1s, requires: [first, last]",
           "t:7:49 error: phases[1].requires[1]: 'last' runs after this phase; name an earlier phase, or move this one "
           "behind it"},
          {"duration: 1s, requires: [own]",
           "t:7:42 error: phases[1].requires[0]: 'own' is the phase itself; name an earlier phase"},
          {"duration: 1s, requires: first", "t:7:41 error: phases[1].requires: 'first' is not a list"},
          {"duration: 1s, precondition: {}",
           "t:7:45 error: phases[1].precondition: is an empty map; at least one entry is needed"},
          {"duration: 1s, precondition: {sequential: 0}",
           "t:7:31 error: phases[1].precondition: fills nothing; say sequential or random: 1 or more"},
          {"duration: 1s, precondition: {random: 1, block_size: 2MiB}",
           "t:7:57 error: phases[1].precondition.block_size: 2 MiB is more than the phase's size of 1 MiB; use smaller "
           "blocks"},
          {"duration: 1s, region: {from: 50%, size: 64KiB}, precondition: {random: 1, block_size: 128KiB}",
           "t:7:91 error: phases[1].precondition.block_size: 128 KiB is more than the phase's region of 64 KiB; use "
           "smaller blocks"},
          {"duration: 1s, precondition: {random: 1, block_size: 1000B}",
           "t:7:57 error: phases[1].precondition.block_size: 1000 bytes cannot be used with direct I/O, which takes "
           "multiples of 512B; write a multiple of 512B, or direct: false"},
          {"duration: 1s, operations: write, layout: allocated, precondition: {random: 1}",
           "t:7:50 error: phases[1].layout: allocated would be filled by `precondition`; use layout: written"},
          {"precondition: {random: 1}, thresholds: [read.iops > 1]",
           "t:7:44 error: phases[1].thresholds: has no meaning in a phase that only fills its region; remove it, or "
           "add "
           "a stop rule"},
          {"precondition: {random: 1}, abort: [read.iops > 1 for 1s]",
           "t:7:44 error: phases[1].abort: has no meaning in a phase that only fills its region; remove it, or add a "
           "stop rule"},
          {"duration: 1s, pause: 5", "t:7:38 error: phases[1].pause: '5' has no unit; write 5s or 5ms"},
          {"duration: 1s, optional: maybe", "t:7:41 error: phases[1].optional: 'maybe' is not true or false"},
      }) {
    CAPTURE(row.keys);
    const std::string found = says(row.keys);
    CHECK(found == row.says + "\n");
  }
}

TEST_CASE("structure rules: a name stands for all cells, and none may come later") {
  const LoadedJob loaded = load_job_text(
      "diskproof: 1\nname: t\ndisks: {v: {virtual: {size: 1GiB}, engine: sim}}\ndefaults: {duration: 1s, disk: "
      "v}\nphases:\n"
      "  - {name: a, matrix: {queue_depth: [1, 2]}}\n"
      "  - {name: b, requires: [a]}\n"
      "  - {name: c, requires: [a/queue_depth=2]}\n"
      "  - {name: d, requires: [a/queue_depth=3]}\n",
      "t");
  CHECK(test::joined(loaded.diagnostics) ==
        "t:9:26 error: phases[3].requires[0]: 'a/queue_depth=3' is not a phase of this job; did you mean "
        "a/queue_depth=1?\n");
}

TEST_CASE("structure rules: nothing may be written where max_written is zero, and no name is that of a fill") {
  const LoadedJob loaded = load_job_text(
      "diskproof: 1\nname: t\nmax_written: 0B\ndisks: {v: {virtual: {size: 1GiB}, engine: sim}}\nphases:\n"
      "  - {name: a/precondition/b, disk: v, duration: 1s}\n",
      "t");
  CHECK(test::joined(loaded.diagnostics) ==
        "t:3:1 error: max_written: is zero; leave it out for no limit\n"
        "t:6:6 error: phases[0].name: 'a/precondition/b' would be the name of a precondition; do not use "
        "/precondition/ in a name\n");
}

TEST_CASE("structure rules: an exact name means that phase alone, a group before the cells that begin like it") {
  const LoadedJob loaded = load_job_text(
      "diskproof: 1\nname: t\ndisks: {v: {virtual: {size: 1GiB}, engine: sim}}\ndefaults: {duration: 1s, disk: "
      "v}\nphases:\n"
      "  - {name: a}\n"
      "  - {name: b, requires: [a]}\n"
      "  - {name: a/x}\n"
      "  - {name: c, requires: [a/x]}\n"
      "  - {name: g, parallel: [{name: one}, {name: two}]}\n"
      "  - {name: g/x}\n",
      "t");
  CHECK(test::joined(loaded.diagnostics) == "");
  using Indices = std::vector<std::size_t>;
  CHECK(phases_named(loaded.job, "a") == Indices{0});
  CHECK(phases_named(loaded.job, "a/x") == Indices{2});
  CHECK(phases_named(loaded.job, "g") == Indices{4, 5});
  CHECK(phases_named(loaded.job, "g/x") == Indices{6});
  CHECK(phases_named(loaded.job, "") == Indices{});
}

TEST_CASE("structure rules: the timeout of a group is longer than its longest pause and what follows it") {
  const auto group = [](const std::string& timeout, const std::string& keys) {
    return test::joined(
        load_job_text("diskproof: 1\nname: t\ndisks: {v: {virtual: {size: 1GiB}, engine: sim}}\nphases:\n"
                      "  - {name: g, disk: v, timeout: " +
                          timeout + ", " + keys + "}\n",
                      "t")
            .diagnostics);
  };
  const std::string together = "parallel: [{name: a, duration: 1s, pause: 1h}, {name: b, duration: 2s, warmup: 1s}]";
  CHECK(group("3604s", together) == "");
  CHECK(group("3603s", together) ==
        "t:5:24 error: phases[0].timeout: is not longer than the 60 min 3 s that the group's phases take; make it "
        "longer\n");
  const std::string turns =
      "rounds: {count: 2, interval: 5s}, phases: [{name: a, duration: 1s, pause: 10s}, {name: b, "
      "duration: 2s, pause: 4s}]";
  CHECK(group("21001ms", turns) == "");
  CHECK(group("21s", turns).find("is not longer than the 21 s that") != std::string::npos);
}

TEST_CASE("structure rules: a job with less time than its phases need is warned of") {
  const auto job = [](const std::string& timeout, const std::string& last) {
    return test::joined(load_job_text("diskproof: 1\nname: t\ntimeout: " + timeout +
                                          "\ndisks: {v: {virtual: {size: 1GiB}, engine: sim}}\n"
                                          "defaults: {disk: v, duration: 10s}\nphases:\n"
                                          "  - {name: a, pause: 1s, warmup: 2s, repeat: {count: 2, interval: 3s}}\n"
                                          "  - {name: g, parallel: [{name: b}, {name: c, duration: 4s}]}\n"
                                          "  - " +
                                          last + "\n",
                                      "t")
                            .diagnostics);
  };
  CHECK(job("38001ms", "{name: d, optional: true}") == "");
  CHECK(job("38s", "{name: d, optional: true}") ==
        "t:3:1 warning: timeout: is not longer than the 38 s that the phases take at least, so that not all of them "
        "can end well; make it longer, or run a part with --only\n");
  CHECK(job("48s", "{name: d}") != "");
  CHECK(job("1s", "{name: d, duration: 8760h, sample: 1h, repeat: {count: 1000}}").find("warning: timeout: ") !=
        std::string::npos);
}
