// Thresholds that no run could meet or answer.
#include "plan/gate_check.hpp"

#include <doctest/doctest.h>

#include "support/plan_samples.hpp"

namespace diskproof {
namespace {

using Level = Diagnostic::Level;

Job job_with(const std::string& check) {
  Job job = sample_job();
  job.phases[0].operations = {.read = 0, .write = 100, .trim = 0};
  job.phases[0].thresholds = {{.check = check, .warn = false}};
  job.source.add("phases[0].thresholds[0]", {.line = 12, .column = 9});
  return job;
}

TEST_CASE("gate check: good thresholds are silent") {
  for (const char* check :
       {"write.iops >= 100", "total.latency.p99 <= 5ms", "write.bandwidth >= 1MB/s for 90% of intervals"}) {
    CAPTURE(check);
    Diagnostics diagnostics;
    check_gates(job_with(check), diagnostics);
    CHECK(diagnostics.empty());
  }
}

TEST_CASE("gate check: errors stand at their threshold") {
  struct Row {
    const char* check;
    const char* message;
  };
  for (const Row& row : {Row{"write.iosp >= 1", "'write.iosp' is not a metric"},
                         {"read.iops >= 1", "the phase issues no read operations"},
                         {"sync.latency.p99 <= 1s", "the phase issues no sync operations"},
                         {"write.iops >= 95% of limit", "no limit of the disk or the phase applies to write.iops"},
                         {"write.iops >= 95% of limit.vm", "no limit in group vm applies to write.iops"}}) {
    CAPTURE(row.check);
    Diagnostics diagnostics;
    check_gates(job_with(row.check), diagnostics);
    REQUIRE(diagnostics.size() == 1);
    CHECK(diagnostics[0].level == Level::error);
    CHECK(diagnostics[0].at.line == 12);
    CHECK(diagnostics[0].file == "sample.yaml");
    CHECK(diagnostics[0].message.find(row.message) != std::string::npos);
  }
}

TEST_CASE("gate check: the advice for a missing limit can be pasted") {
  for (const auto& [check, hint] :
       {std::pair{"write.iops >= 10% of limit", "write `limits: {write.iops: VALUE}` on disk data"},
        std::pair{"write.iops >= 10% of limit.instance",
                  "write `limits: {instance: {write.iops: VALUE}}` on disk data"}}) {
    CAPTURE(check);
    Diagnostics diagnostics;
    check_gates(job_with(check), diagnostics);
    REQUIRE(diagnostics.size() == 1);
    CHECK(diagnostics[0].hint == hint);
  }
}

TEST_CASE("gate check: what is read back while writing can be judged as reads") {
  Job job = job_with("read.iops >= 1");
  const auto says = [&] {
    Diagnostics diagnostics;
    check_gates(job, diagnostics);
    return diagnostics.empty() ? std::string() : diagnostics[0].message;
  };
  CHECK(says().find("the phase issues no read operations") != std::string::npos);
  job.phases[0].verify = {.write = true, .during = 10, .of = {}, .manifest = {}};
  CHECK(says() == "");
  job.phases[0].thresholds[0].check = "read.latency.p99 <= 5ms";
  job.phases[0].stop = {.kind = StopRule::Kind::operations, .value = 1'000};
  CHECK(says().find("about 100 operations leave 1.0 beyond p99") != std::string::npos);
}

TEST_CASE("gate check: flushes can be judged where the phase has some, and enough of them") {
  Job job = job_with("sync.latency.p99 <= 5ms");
  const auto says = [&] {
    Diagnostics diagnostics;
    check_gates(job, diagnostics);
    return diagnostics.empty() ? std::string() : diagnostics[0].message;
  };
  job.phases[0].fsync = {.every = 10, .end = false, .data_only = false};
  CHECK(says() == "");
  job.phases[0].stop = {.kind = StopRule::Kind::operations, .value = 10'000};
  CHECK(says() == "");
  job.phases[0].stop.value = 5000;
  CHECK(says().find("about 500 operations leave 5.0 beyond p99") != std::string::npos);
  job.phases[0].fsync = {.every = 0, .end = true, .data_only = false};
  CHECK(says() == "");
  job.phases[0].operations = {.read = 100, .write = 0, .trim = 0};
  CHECK(says().find("the phase issues no sync operations") != std::string::npos);
}

TEST_CASE("gate check: a share of a limit needs one that applies, in the group that is named") {
  struct Row {
    const char* name;
    LimitGroup group;
    const char* check;
    bool good;
  };
  for (const Row& row :
       {Row{"own", {"", {{"write.iops", 100}}}, "write.iops >= 95% of limit", true},
        {"total", {"", {{"total.iops", 100}}}, "write.iops >= 95% of limit", true},
        {"bandwidth in blocks", {"vm", {{"write.bandwidth", 1e6}}}, "write.iops >= 5% of limit.vm", true},
        {"other direction", {"", {{"read.iops", 100}}}, "write.iops >= 95% of limit", false},
        {"other group", {"link", {{"write.iops", 100}}}, "write.iops >= 95% of limit.vm", false}}) {
    CAPTURE(row.name);
    Job job = job_with(row.check);
    job.phases[0].limits = {row.group};
    Diagnostics diagnostics;
    check_gates(job, diagnostics);
    CHECK(has_errors(diagnostics) == !row.good);
  }
}

// 1 thread x depth 4 at 1000/s wait 4 ms on average.
TEST_CASE("gate check: a mean latency below depth by limit is impossible") {
  struct Row {
    const char* check;
    bool good;
  };
  for (const Row& row : {Row{"write.latency.mean <= 4ms", true},
                         {"write.latency.mean <= 3.9ms", false},
                         {"write.latency.mean < 1ms", false},
                         {"write.latency.mean >= 1ms", true},
                         {"write.latency.p50 <= 1ms", true}}) {
    CAPTURE(row.check);
    Job job = job_with(row.check);
    job.phases[0].limits = {{"", {{"write.iops", 1000}}}};
    Diagnostics diagnostics;
    check_gates(job, diagnostics);
    CHECK(has_errors(diagnostics) == !row.good);
    if (!row.good) CHECK(diagnostics[0].message.find("4 ms") != std::string::npos);
  }
}

TEST_CASE("gate check: a rate may leave the queue empty, so that any latency is possible") {
  Job job = job_with("write.latency.mean <= 1ms");
  job.phases[0].limits = {{"", {{"write.iops", 1000}}}};
  job.phases[0].rate = LoadRate{.iops = RateValue{500, false}, .bandwidth = {}};
  Diagnostics diagnostics;
  check_gates(job, diagnostics);
  CHECK(diagnostics.empty());
}

TEST_CASE("gate check: what only a rate measures needs one") {
  for (const char* check : {"rate.achieved >= 99%", "rate.unissued == 0", "write.service_latency.p50 <= 1ms",
                            "write.service_latency.p99.95 <= 1ms", "runner.lateness.p99 <= 5us"}) {
    CAPTURE(check);
    Job job = job_with(check);
    Diagnostics diagnostics;
    check_gates(job, diagnostics);
    REQUIRE(diagnostics.size() == 1);
    CHECK(diagnostics[0].at.line == 12);
    CHECK(diagnostics[0].message.find("the phase has no rate") != std::string::npos);
    job.phases[0].rate = LoadRate{.iops = RateValue{500, false}, .bandwidth = {}};
    diagnostics.clear();
    check_gates(job, diagnostics);
    CHECK(diagnostics.empty());
  }
}

TEST_CASE("gate check: a rate that is a share needs a limit, and any must be one that can be paced") {
  struct Row {
    const char* name;
    LoadRate rate;
    std::vector<LimitGroup> limits;
    const char* message;  // empty: good
  };
  for (const Row& row :
       {Row{"number", {.iops = RateValue{5, false}, .bandwidth = {}}, {}, ""},
        {"share", {.iops = RateValue{80, true}, .bandwidth = {}}, {{"", {{"write.iops", 100}}}}, ""},
        {"no limit", {.iops = RateValue{80, true}, .bandwidth = {}}, {}, "no limit of the disk or the phase applies"},
        {"limit of another direction",
         {.iops = {}, .bandwidth = RateValue{80, true}},
         {{"", {{"read.iops", 100}}}},
         "no limit of the disk or the phase applies"},
        {"slow", {.iops = {}, .bandwidth = RateValue{1, false}}, {}, "gives 0.000244141 operations per second"},
        {"fast", {.iops = {}, .bandwidth = RateValue{1e14, false}}, {}, "gives 2.44141e+10 operations per second"}}) {
    CAPTURE(row.name);
    Job job = job_with("write.iops >= 1");
    job.phases[0].rate = row.rate;
    job.phases[0].limits = row.limits;
    Diagnostics diagnostics;
    check_gates(job, diagnostics);
    const std::string message = row.message;
    REQUIRE(diagnostics.size() == (message.empty() ? 0 : 1));
    if (message.empty()) continue;
    CHECK(diagnostics[0].message.find(message) != std::string::npos);
    CHECK(diagnostics[0].path == (row.rate.iops ? "phases[0].rate.iops" : "phases[0].rate.bandwidth"));
  }
}

TEST_CASE("gate check: a percentile needs ten operations beyond it") {
  struct Row {
    std::uint64_t operations;
    const char* check;
    bool warned;
  };
  for (const Row& row : {Row{1000, "write.latency.p99 <= 1s", false},
                         {999, "write.latency.p99 <= 1s", true},
                         {99'999, "write.latency.p99.99 <= 1s", true},
                         {100'000, "write.latency.p99.99 <= 1s", false},
                         {5, "write.latency.p100 <= 1s", false},
                         {5, "write.latency.max <= 1s", false}}) {
    CAPTURE(row.operations);
    CAPTURE(row.check);
    Job job = job_with(row.check);
    job.phases[0].stop = {.kind = StopRule::Kind::operations, .value = row.operations};
    Diagnostics diagnostics;
    check_gates(job, diagnostics);
    CHECK(diagnostics.size() == (row.warned ? 1 : 0));
    CHECK_FALSE(has_errors(diagnostics));
  }
}

TEST_CASE("gate check: merged runs need several runs, and count the operations of all that count") {
  Job job = job_with("merged.write.latency.p99 <= 1s");
  job.phases[0].stop = {.kind = StopRule::Kind::operations, .value = 500};
  Diagnostics diagnostics;
  check_gates(job, diagnostics);
  REQUIRE(diagnostics.size() == 1);
  CHECK(diagnostics[0].message == "'merged.write.latency.p99 <= 1s' can never be measured: the phase runs once");
  for (const std::uint32_t count : {2U, 3U}) {
    CAPTURE(count);
    job.phases[0].repeat = {.count = count, .discard = 1};
    diagnostics.clear();
    check_gates(job, diagnostics);
    CHECK(diagnostics.size() == (count == 2 ? 1 : 0));
    CHECK_FALSE(has_errors(diagnostics));
  }
}

TEST_CASE("gate check: a job without thresholds is warned of") {
  Diagnostics diagnostics;
  check_gates(sample_job(), diagnostics);
  REQUIRE(diagnostics.size() == 1);
  CHECK(diagnostics[0].level == Level::warning);
  CHECK(diagnostics[0].message.find("nothing gated") == 0);
}

TEST_CASE("gate check: the strictest word of the phases decides what a job without thresholds is") {
  struct Row {
    const char* name;
    std::vector<std::optional<Severity>> words;  // one per phase
    std::optional<Level> level;                  // absent: nothing is said
  };
  const Row rows[]{{"all ignore it", {Severity::ignore, Severity::ignore}, {}},
                   {"one says nothing", {Severity::ignore, {}}, Level::warning},
                   {"one is strict", {Severity::ignore, Severity::error}, Level::error},
                   {"warned", {Severity::warn, Severity::ignore}, Level::warning}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    Job job = sample_job();
    job.phases.resize(row.words.size(), job.phases[0]);
    for (std::size_t i = 0; i < row.words.size(); ++i) {
      if (row.words[i]) job.phases[i].findings["nothing_gated"] = *row.words[i];
    }
    Diagnostics diagnostics;
    check_gates(job, diagnostics);
    CHECK(diagnostics.size() == (row.level ? 1 : 0));
    if (row.level && !diagnostics.empty()) CHECK(diagnostics[0].level == *row.level);
  }
}

TEST_CASE("gate check: another phase must be one, come before, and measure the metric") {
  struct Row {
    const char *check, *message;
  };
  for (const Row& row : {Row{"write.iops >= 90% of phase before", ""},
                         {"write.iops >= 90% of phase befor", "'befor' is not a phase of this job"},
                         {"write.iops >= 90% of phase read", "'read' is the phase itself"},
                         {"write.iops >= 90% of phase after", "'after' runs after this phase"},
                         {"write.iops >= 90% of phase cells", "'cells' names 2 phases, and a value comes from one"},
                         {"write.iops >= 90% of phase reader", "phase reader never measures write.iops"}}) {
    CAPTURE(row.check);
    Job job = job_with(row.check);
    const Phase own = job.phases[0];
    Phase other = own;
    other.thresholds.clear();
    job.phases.clear();
    for (const char* name : {"before", "cells/x=1", "cells/x=2", "reader"}) {
      other.name = name;
      job.phases.push_back(other);
    }
    job.phases.back().operations = {.read = 100, .write = 0, .trim = 0};
    job.phases.push_back(own);
    other.name = "after";
    job.phases.push_back(other);
    Diagnostics diagnostics;
    check_gates(job, diagnostics);
    const std::string found = diagnostics.empty() ? "" : diagnostics[0].message;
    CHECK(found == row.message);
  }
}

TEST_CASE("gate check: an abort must be able to fire, and not sooner than it can be seen") {
  struct Row {
    const char *condition, *message;
  };
  for (const Row& row :
       {Row{"write.iops < 5 for 10s", ""},
        {"write.iops < 5", "how long it must hold is missing"},
        {"read.iops < 5 for 10s", "'read.iops < 5 for 10s' can never be measured: the phase issues no read operations"},
        {"write.iops < 5 for 500ms", "500 ms is shorter than an interval of 1 s, which is what it is judged by"},
        {"write.iops < 5 for 31s", "31 s is longer than the phase's duration of 30 s, so it never ends it"},
        {"write.iops < 50% of limit for 10s",
         "'write.iops < 50% of limit for 10s' is a share of a limit, but no limit of the disk or the phase applies to "
         "write.iops"}}) {
    CAPTURE(row.condition);
    Job job = job_with("write.iops >= 1");
    job.phases[0].aborts = {row.condition};
    Diagnostics diagnostics;
    check_gates(job, diagnostics);
    const std::string found = diagnostics.empty() ? "" : diagnostics[0].message;
    CHECK(found == row.message);
  }
}

}  // namespace
}  // namespace diskproof
