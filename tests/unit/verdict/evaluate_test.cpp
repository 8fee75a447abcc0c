// Every outcome of a threshold, with the numbers and words that explain it.
#include "verdict/evaluate.hpp"

#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <vector>

#include "unit/metrics/run_data_samples.hpp"

namespace diskproof {
namespace {

using test::Burst;
using test::kRead;
using test::kWrite;

ThresholdExpr expr_of(const std::string& text) { return std::get<ThresholdExpr>(compile_threshold(text)); }

// 1 s each: 100 intervals, of which five are slow and one stands still.
std::unique_ptr<RunData> uneven_run() {
  std::vector<std::vector<Burst>> rows(100, {Burst{kWrite, 100, 1000}});
  for (std::size_t i = 10; i < 15; ++i) rows[i] = {Burst{kWrite, 50, 4000}};
  rows[50] = {};
  return test::run_of(rows);
}

struct Judged {
  std::unique_ptr<RunData> run = uneven_run();
  PhaseMetrics metrics = compute_metrics(*run, {.planned_depth = 1, .extra_percentiles = {"p99.95", "p100"}});
  std::vector<LimitGroup> limits{{"", {{"write.iops", 300}}}, {"instance", {{"total.iops", 100}}}};

  [[nodiscard]] ThresholdResult operator()(const std::string& text) const {
    return evaluate(
        expr_of(text),
        {.metrics = &metrics, .run = run.get(), .limits = limits, .phase_error = {}, .phase_skipped = false});
  }
};

TEST_CASE("evaluate: a threshold on merged runs needs the operations of all of them") {
  PhaseMetrics metrics;
  for (const std::string lead : {"", "merged."}) {
    metrics.set(lead + "read.operations", lead.empty() ? 600 : 1200);
    metrics.set(lead + "read.latency.p99", 1e6);
  }
  const auto outcome = [&](const std::string& text) {
    return evaluate(expr_of(text), {.metrics = &metrics, .limits = {}, .phase_error = {}}).outcome;
  };
  CHECK(outcome("read.latency.p99 <= 1ms") == Outcome::inconclusive);
  CHECK(outcome("merged.read.latency.p99 <= 1ms") == Outcome::pass);
  CHECK(outcome("merged.read.latency.p99 < 1ms") == Outcome::fail);
}

TEST_CASE("evaluate: a percentile needs its operations in each of the runs that are scored") {
  struct Row {
    std::vector<double> operations;
    double score;  // of the operations
    Outcome outcome;
  };
  for (const Row& row : {Row{{1561, 1580, 691}, 1561, Outcome::inconclusive},
                         Row{{1450, 1556, 1825}, 825, Outcome::pass}, Row{{1000, 1000}, 1000, Outcome::pass}}) {
    CAPTURE(row.score);
    PhaseMetrics score;
    score.set("read.operations", row.score);
    score.set("read.latency.p99", 1e6);
    std::vector<PhaseMetrics> runs;
    for (const double operations : row.operations) {
      runs.emplace_back().set("read.operations", operations);
      runs.back().set("read.latency.p99", 1e6);
    }
    std::vector<const PhaseMetrics*> scored;
    for (const PhaseMetrics& run : runs) scored.push_back(&run);
    const ThresholdResult result = evaluate(expr_of("read.latency.p99 <= 5ms"),
                                            {.metrics = &score, .runs = scored, .limits = {}, .phase_error = {}});
    CHECK(result.outcome == row.outcome);
    const bool told = result.reason.find("needs 1000 operations in each run") != std::string::npos;
    CHECK(told == (row.outcome == Outcome::inconclusive));
  }
}

TEST_CASE("evaluate: a metric that only some runs have is no score, and the reason says so") {
  PhaseMetrics score, with, without;
  score.set("read.operations", 10);
  with.set("trim.iops", 3);
  const std::vector<const PhaseMetrics*> runs{&with, &with, &without};
  const ThresholdResult result =
      evaluate(expr_of("trim.iops >= 1"), {.metrics = &score, .runs = runs, .limits = {}, .phase_error = {}});
  CHECK(result.outcome == Outcome::error);
  CHECK(result.reason.find("measured in 2 of 3 runs only") != std::string::npos);
}

TEST_CASE("evaluate: outcomes of a measured phase") {
  const Judged judged;  // 9650 writes in 100 s
  struct Row {
    std::string text;
    Outcome outcome;
    std::string reason;
  };
  using enum Outcome;
  for (const Row& row :
       {Row{"write.iops >= 96.5", pass, "write.iops was 96.5/s, required at least 96.5/s"},
        Row{"write.iops > 96.5", fail, "more than 96.5/s"},
        Row{"write.iops <= 96.5", pass, "at most"},
        Row{"write.iops < 96.5", fail, "less than"},
        Row{"write.operations == 9650", pass, "exactly 9,650"},
        Row{"write.operations == 9651", fail, "was 9,650, required exactly 9,651"},
        Row{"write.errors == 0", pass, "was 0"},
        Row{"write.iops within 5% of 100", pass, "within 5 % of 100/s"},
        Row{"write.iops within 3% of 100", fail, "within 3 % of 100/s"},
        Row{"write.iops >= 95% of limit", pass, "95 % of the limit 100/s (instance total.iops)"},
        Row{"write.iops >= limit", fail, "at least 100/s, the limit 100/s (instance total.iops)"},
        Row{"write.iops >= 50% of limit.instance", pass, "50 %"},
        Row{"write.iops >= 50% of limit.link", error, "the limits of 'link' have no entry that applies to write.iops"},
        Row{"write.latency.p50 <= 1003ns", pass, "was 1 us, required at most 1 us"},
        Row{"write.latency.p99 <= 1us", fail, "4 us"},
        Row{"write.latency.p99.9 <= 1s", inconclusive,
            "write.latency.p99.9 needs 10000 operations to have 10 beyond it, 9650 were measured"},
        Row{"write.latency.p99.95 <= 1s", inconclusive, "needs 20000 operations"},
        Row{"write.latency.p99.99 <= 1ns", inconclusive, "needs 100000 operations"},
        Row{"write.latency.p100 <= 4us", pass, ""},
        Row{"write.latency.max <= 4us", pass, ""},
        Row{"read.iops >= 1", error, "read.iops was not measured: the phase issued no read"},
        Row{"read.errors == 0", error, "issued no read"},
        Row{"read.latency.p99 <= 1s", error, "issued no read"},
        Row{"drain.latency.max <= 1s", error, "drain.latency.max was not measured"},
        Row{"total.iops >= 1", pass, ""},
        Row{"write.iops >= 100 for 94% of intervals", pass,
            "in 94 of 100 full intervals, required in 94; 100/s in the decisive one"},
        Row{"write.iops >= 100 for 95% of intervals", fail,
            "in 94 of 100 full intervals, required in 95; 50/s in the decisive one"},
        Row{"write.iops >= 50 for 99% of intervals", pass, "in 99 of 100"},
        Row{"write.iops >= 50 for 100% of intervals", fail, "0/s in the decisive one"},
        Row{"write.latency.p99 <= 1us for 94% of intervals", pass, "nothing completed in 1"},
        Row{"write.latency.max <= 1s for 99% of intervals", pass, "4 us in the decisive one"},
        Row{"write.latency.max <= 1s for 100% of intervals", fail,
            "in 99 of 100 full intervals, required in 100; nothing completed in 1"},
        Row{"total.latency.p99 <= 1us for 94% of intervals", pass, ""},
        Row{"write.iops >= 95% of limit for 90% of intervals", pass, "limit 100/s (instance total.iops)"},
        Row{"write.iops >= 95% of limit for 99% of intervals", fail, ""},
        Row{"write.errors == 0 for 100% of intervals", pass, "in 100 of 100"}}) {
    CAPTURE(row.text);
    const ThresholdResult result = judged(row.text);
    CAPTURE(result.reason);
    CHECK(to_string(result.outcome) == to_string(row.outcome));
    CHECK(result.reason.find(row.reason) != std::string::npos);
    CHECK(result.check == row.text);
    CHECK_FALSE(result.reason.empty());
    CHECK_FALSE(result.warn);
  }
}

TEST_CASE("evaluate: observed, bound and the limit that held are in the result") {
  const Judged judged;
  ThresholdResult result = judged("write.iops >= 95% of limit");
  CHECK(result.metric == "write.iops");
  CHECK(result.observed == doctest::Approx(96.5));
  CHECK(result.bound == doctest::Approx(95));
  CHECK(result.limit_group == "instance");
  CHECK(result.limit_metric == "total.iops");
  result = judged("write.iops >= 60 for 95% of intervals");
  CHECK(result.observed == 50);
  CHECK(result.bound == 60);
  CHECK_FALSE(result.limit_metric);
  result = judged("read.iops >= 5");
  CHECK_FALSE(result.observed);
  CHECK(result.bound == 5);
}

TEST_CASE("evaluate: a warning keeps its outcome and is marked") {
  const Judged judged;
  const ThresholdResult result = judged("write.iops <= 5 with warn");
  CHECK(result.outcome == Outcome::fail);
  CHECK(result.warn);
}

TEST_CASE("evaluate: a phase that ended in error or never ran has no pass") {
  const Judged judged;
  const ThresholdExpr expr = expr_of("write.iops >= 1");
  ThresholdResult result = evaluate(expr, {.metrics = &judged.metrics,
                                           .run = nullptr,
                                           .limits = {},
                                           .phase_error = "3 I/O errors",
                                           .phase_skipped = false});
  CHECK(result.outcome == Outcome::error);
  CHECK(result.reason == "3 I/O errors");
  CHECK(result.observed == doctest::Approx(96.5));
  result = evaluate(expr, {.metrics = nullptr,
                           .run = nullptr,
                           .limits = {},
                           .phase_error = "not run because fill failed",
                           .phase_skipped = false});
  CHECK(result.outcome == Outcome::error);
  CHECK_FALSE(result.observed);
  result =
      evaluate(expr, {.metrics = nullptr, .run = nullptr, .limits = {}, .phase_error = "", .phase_skipped = false});
  CHECK(result.outcome == Outcome::error);
  CHECK(result.reason == "write.iops was not measured");
  result = evaluate(
      expr,
      {.metrics = nullptr, .run = nullptr, .limits = {}, .phase_error = "left out by --only", .phase_skipped = true});
  CHECK(result.outcome == Outcome::skipped);
  result = evaluate(
      expr_of("write.iops >= limit"),
      {.metrics = nullptr, .run = nullptr, .limits = judged.limits, .phase_error = "gone", .phase_skipped = false});
  CHECK(result.outcome == Outcome::error);
  CHECK_FALSE(result.bound);
}

TEST_CASE("evaluate: intervals cannot be judged without a series or without a full one") {
  const Judged judged;
  const ThresholdExpr expr = expr_of("read.iops >= 1 for 50% of intervals");
  const auto brief = test::run_of({{Burst{kRead, 100}}}, test::kSecond / 2);
  const PhaseMetrics metrics = compute_metrics(*brief, {});
  for (const RunData* run : std::vector<const RunData*>{nullptr, brief.get()}) {
    const ThresholdResult result =
        evaluate(expr, {.metrics = &metrics, .run = run, .limits = {}, .phase_error = {}, .phase_skipped = false});
    CHECK(result.outcome == Outcome::error);
    CHECK(result.reason.find("no full interval") != std::string::npos);
  }
}

TEST_CASE("evaluate: a percentile has enough operations exactly from ten beyond it") {
  for (const std::uint64_t count : {999u, 1000u}) {
    CAPTURE(count);
    const auto run = test::run_of({{Burst{kRead, count, 10}}});
    const PhaseMetrics metrics = compute_metrics(*run, {});
    const ThresholdResult result =
        evaluate(expr_of("read.latency.p99 <= 1ms"),
                 {.metrics = &metrics, .run = run.get(), .limits = {}, .phase_error = {}, .phase_skipped = false});
    CHECK(result.outcome == (count == 1000 ? Outcome::pass : Outcome::inconclusive));
  }
}

TEST_CASE("evaluate: values that look alike are shown with all digits") {
  PhaseMetrics metrics;
  metrics.set("read.operations", 1e9);
  metrics.set("read.bandwidth", 474'999'999.5);
  const ThresholdResult result =
      evaluate(expr_of("read.bandwidth >= 475MB/s"),
               {.metrics = &metrics, .run = nullptr, .limits = {}, .phase_error = {}, .phase_skipped = false});
  CHECK(result.outcome == Outcome::fail);
  CHECK(result.reason ==
        "read.bandwidth was 475 MB/s (474999999.5 bytes/s), required at least 475 MB/s (475000000 bytes/s)");
}

TEST_CASE("evaluate: what is not a number satisfies nothing") {
  PhaseMetrics metrics;
  metrics.set("read.iops", std::numeric_limits<double>::quiet_NaN());
  for (const std::string text :
       {"read.iops >= 0", "read.iops <= 1", "read.iops < 1", "read.iops > 0", "read.iops within 100% of 1"}) {
    CAPTURE(text);
    CHECK(evaluate(expr_of(text),
                   {.metrics = &metrics, .run = nullptr, .limits = {}, .phase_error = {}, .phase_skipped = false})
              .outcome == Outcome::error);
  }
}

ThresholdResult with(Outcome outcome, bool warn) {
  ThresholdResult result;
  result.outcome = outcome;
  result.warn = warn;
  return result;
}

TEST_CASE("judge: the worst threshold decides, a warning does not, an invalid run is an error") {
  using enum Outcome;
  struct Row {
    std::string name;
    std::vector<ThresholdResult> thresholds;
    std::vector<FindingLevel> findings;
    Outcome outcome;
  };
  for (const Row& row :
       {Row{"nothing asked", {}, {}, pass}, Row{"one of two fails", {with(pass, false), with(fail, false)}, {}, fail},
        Row{"inconclusive", {with(pass, false), with(inconclusive, false)}, {}, inconclusive},
        Row{"fail beats inconclusive", {with(fail, false), with(inconclusive, false)}, {}, fail},
        Row{"failed warning", {with(fail, true)}, {}, pass},
        Row{"inconclusive warning", {with(inconclusive, true)}, {}, pass},
        Row{"unmeasured warning", {with(error, true)}, {}, error},
        Row{"a finding that warns", {with(pass, false)}, {FindingLevel::warn}, pass},
        Row{"a finding that invalidates", {with(pass, false)}, {FindingLevel::warn, FindingLevel::error}, error}}) {
    CAPTURE(row.name);
    std::vector<Finding> findings;
    for (const FindingLevel level : row.findings) findings.push_back({"on_tmpfs", level, "", ""});
    CHECK(judge(row.thresholds, findings) == row.outcome);
  }
}

TEST_CASE("evaluate: a share of what another phase reached") {
  const Judged judged;
  const auto with = [&](const std::string& text, const OtherValue& other) {
    Evidence evidence;
    evidence.metrics = &judged.metrics;
    evidence.run = judged.run.get();
    evidence.other = [&](const std::string& phase, const MetricInfo& metric) {
      CHECK(phase == "warm");
      CHECK(metric.name == "write.iops");
      return other;
    };
    return evaluate(expr_of(text), evidence);
  };
  ThresholdResult result = with("write.iops >= 90% of phase warm", {.value = 100});
  CHECK(result.outcome == Outcome::pass);
  CHECK(result.bound == 90);
  CHECK(result.reason == "write.iops was 96.5/s, required at least 90/s, 90 % of the 100/s of phase warm");
  result = with("write.iops >= phase warm", {.value = 100});
  CHECK(result.outcome == Outcome::fail);
  CHECK(result.reason == "write.iops was 96.5/s, required at least 100/s, the 100/s of phase warm");
  result = with("write.iops >= 90% of phase warm", {.value = {}, .reason = "was not measured: it crashed"});
  CHECK(result.outcome == Outcome::error);
  CHECK(result.reason == "not decided, because phase warm was not measured: it crashed");
  result = with("write.iops >= 90% of phase warm", {.value = {}, .reason = "was skipped", .skipped = true});
  CHECK(result.outcome == Outcome::skipped);
  result = with("write.iops >= 200% of phase warm for 1% of intervals", {.value = 50});
  CHECK(result.outcome == Outcome::pass);
}

}  // namespace
}  // namespace diskproof
