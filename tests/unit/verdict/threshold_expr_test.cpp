// The threshold language, good and bad, by tables.
#include "verdict/threshold_expr.hpp"

#include <doctest/doctest.h>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace diskproof {
namespace {

ThresholdExpr good(const std::string& text) {
  const CompiledThreshold compiled = compile_threshold(text);
  const auto* error = std::get_if<ThresholdError>(&compiled);
  INFO(text);
  INFO((error != nullptr ? error->text : std::string()));
  REQUIRE(error == nullptr);
  return std::get<ThresholdExpr>(compiled);
}

TEST_CASE("threshold: numbers are read in the unit of their metric") {
  struct Row {
    std::string text, metric;
    Comparison comparison;
    double number;
  };
  using enum Comparison;
  for (const Row& row : {Row{"write.iops >= 6000", "write.iops", at_least, 6000},
                         Row{"write.iops >= 6000/s", "write.iops", at_least, 6000},
                         Row{"write.iops>=6000", "write.iops", at_least, 6000},
                         Row{"  write.iops\t>=   6000  ", "write.iops", at_least, 6000},
                         Row{"read.iops > 0.5", "read.iops", above, 0.5},
                         Row{"read.iops < 10", "read.iops", below, 10},
                         Row{"read.bandwidth >= 500MB/s", "read.bandwidth", at_least, 500e6},
                         Row{"read.bandwidth >= 1GiB/s", "read.bandwidth", at_least, 1073741824.0},
                         Row{"total.bandwidth <= 10Gbit/s", "total.bandwidth", at_most, 1.25e9},
                         Row{"read.latency.p99 <= 5ms", "read.latency.p99", at_most, 5e6},
                         Row{"read.latency.p99.95 <= 1.5ms", "read.latency.p99.95", at_most, 1.5e6},
                         Row{"read.latency.p99.90 <= 5ms", "read.latency.p99.9", at_most, 5e6},
                         Row{"sync.latency.mean < 200us", "sync.latency.mean", below, 2e5},
                         Row{"write.latency.max <= 2s", "write.latency.max", at_most, 2e9},
                         Row{"total.stall.max <= 100ms", "total.stall.max", at_most, 1e8},
                         Row{"read.errors == 0", "read.errors", equal, 0},
                         Row{"write.operations == 1000", "write.operations", equal, 1000},
                         Row{"write.bytes == 10GiB", "write.bytes", equal, 10737418240.0},
                         Row{"read.iops.cv <= 5%", "read.iops.cv", at_most, 0.05},
                         Row{"cpu.user < 80%", "cpu.user", below, 0.8},
                         Row{"cpu.per_io <= 900ns", "cpu.per_io", at_most, 900},
                         Row{"queue_depth.mean >= 28.8", "queue_depth.mean", at_least, 28.8},
                         Row{"drain.operations <= 010", "drain.operations", at_most, 10}}) {
    CAPTURE(row.text);
    const ThresholdExpr expr = good(row.text);
    CHECK(expr.check == row.text);
    CHECK(expr.metric.name == row.metric);
    CHECK(expr.comparison == row.comparison);
    CHECK(expr.number == doctest::Approx(row.number));
    CHECK_FALSE(expr.limit);
    CHECK_FALSE(expr.interval_percent);
    CHECK_FALSE(expr.warn);
  }
}

TEST_CASE("threshold: limits, intervals, tolerance and severity") {
  ThresholdExpr expr = good("write.iops >= 95% of limit");
  REQUIRE(expr.limit);
  CHECK(expr.limit->share == doctest::Approx(0.95));
  CHECK_FALSE(expr.limit->group);

  expr = good("write.iops >= limit");
  REQUIRE(expr.limit);
  CHECK(expr.limit->share == 1);

  expr = good("total.bandwidth <= 105% of limit.instance with warn");
  REQUIRE(expr.limit);
  CHECK(expr.limit->group == "instance");
  CHECK(expr.limit->share == doctest::Approx(1.05));
  CHECK(expr.warn == true);

  expr = good("write.iops >= 90% of limit for 99% of intervals");
  CHECK(expr.interval_percent == 99);
  CHECK(expr.limit);

  expr = good("read.latency.p99.9 <= 5ms for 99.5% of intervals with fail");
  CHECK(expr.interval_percent == 99.5);
  CHECK(expr.warn == false);

  expr = good("read.iops within 5% of 6000");
  CHECK(expr.comparison == Comparison::within);
  CHECK(expr.tolerance == doctest::Approx(0.05));
  CHECK(expr.number == 6000);

  expr = good("read.iops within 2% of limit.link for 100% of intervals with warn");
  CHECK(expr.limit->group == "link");
  CHECK(expr.interval_percent == 100);

  expr = good("read.iops within 2% of 95% of limit");
  CHECK(expr.tolerance == doctest::Approx(0.02));
  CHECK(expr.limit->share == doctest::Approx(0.95));

  expr = good("read.iops.min >= 50% of limit");
  CHECK(expr.limit);
}

TEST_CASE("threshold: every metric of an interval row can be asked for over intervals") {
  for (const std::string text :
       {"read.iops >= 1", "read.bandwidth >= 1MB/s", "read.operations >= 1", "read.bytes >= 1MB", "read.errors == 0",
        "total.latency.mean <= 1s", "write.latency.max <= 1s", "sync.latency.p50 <= 1s", "trim.latency.p99 <= 1s",
        "read.latency.p99.9 <= 1s"}) {
    CHECK(good(text + " for 95% of intervals").interval_percent == 95);
  }
}

TEST_CASE("threshold: what to write is said once") {
  for (const std::string text : {"read.bandwidth >= 5MB", "read.latency.p99 <= 5"}) {
    CAPTURE(text);
    const CompiledThreshold compiled = compile_threshold({text, false});
    const auto* error = std::get_if<ThresholdError>(&compiled);
    REQUIRE(error != nullptr);
    CHECK(error->text.find("; write 5") != std::string::npos);
    CHECK(error->hint == "");
  }
}

TEST_CASE("threshold: what is wrong is said at its place, with what to write instead") {
  struct Row {
    std::string text;
    std::size_t offset;
    std::string error, hint;
  };
  for (const Row& row :
       {Row{"", 0, "empty", "METRIC"},
        Row{"   ", 3, "empty", "METRIC"},
        Row{"reads.iops >= 1", 0, "'reads.iops' is not a metric", "read.iops"},
        Row{"p99 <= 5ms", 0, "'p99' is not a metric", "named like"},
        Row{"read.latency.p99.999999 <= 5ms", 0, "not a metric", ""},
        Row{">= 6000", 0, "'>=' is not a metric", ""},
        Row{"read.iops", 9, "nothing is required", ">="},
        Row{"read.iops 6000", 10, "'6000' is not a comparison", ">="},
        Row{"read.iops = 6000", 10, "'=' is not a comparison", "=="},
        Row{"read.iops => 6000", 10, "'=>' is not a comparison", ">="},
        Row{"read.iops != 6000", 10, "'!='", ""},
        Row{"read.iops >> 6000", 10, "'>>'", ""},
        Row{"read.iops >=", 12, "bound is missing", ""},
        Row{"read.iops == 6000", 10, "measured, not counted", "within"},
        Row{"read.latency.p50 == 5ms", 17, "measured, not counted", ""},
        Row{"read.iops >= 6k", 13, "read.iops is a number per second", "6000"},
        Row{"read.iops >= 500MB/s", 13, "read.iops is a number per second", "6000"},
        Row{"read.iops >= -5", 13, "number per second", ""},
        Row{"read.iops >= nan", 13, "number per second", ""},
        Row{"read.iops >= inf", 13, "number per second", ""},
        Row{"read.iops >= 1e3", 13, "number per second", ""},
        Row{"read.iops >= 0x10", 13, "number per second", ""},
        Row{"read.iops >= 6000 /s", 18, "'/s' is not expected", ""},
        Row{"read.bandwidth >= 500", 18, "is a bandwidth, but '500' has no unit", ""},
        Row{"read.bandwidth >= 500MB", 18, "lacks '/s'", ""},
        Row{"read.bandwidth >= 500M/s", 18, "ambiguous", ""},
        Row{"read.latency.p99 <= 5", 20, "is a time, but '5' has no unit", ""},
        Row{"read.latency.p99 <= 5m", 20, "ambiguous", ""},
        Row{"read.latency.p99 <= 5 ms", 20, "has no unit", ""},
        Row{"read.latency.p99 <= 5%", 20, "is a time", "5ms"},
        Row{"read.iops.cv <= 0.05", 16, "is a share", ""},
        Row{"read.errors <= 1.5", 15, "is a count", "0"},
        Row{"read.errors == 0%", 15, "is a count", ""},
        Row{"read.bytes >= 10", 14, "is a size", ""},
        Row{"queue_depth.mean >= 5ms", 20, "number of I/Os", ""},
        Row{"read.iops >= 95% limit", 13, "is a number per second", ""},
        Row{"read.iops >= 95 % of limit", 16, "'95 %' has a space", "write 95% without a space"},
        Row{"read.iops within 5 % of 100", 19, "'5 %' has a space", "write 5% without a space"},
        Row{"read.iops >= 1 for 90 % of intervals", 22, "'90 %' has a space", "write 90% without a space"},
        Row{"read.iops >= 95% of", 19, "missing", "95% of limit"},
        Row{"read.iops >= 95% of limt", 20, "nothing to take a share of", "did you mean limit?"},
        Row{"read.iops >= 95% of 6000", 20, "nothing to take a share of", ""},
        Row{"read.iops >= 0% of limit", 13, "0%", ""},
        Row{"read.iops >= % of limit", 13, "not a number", "95%"},
        Row{"read.iops >= limit.", 13, "group", "limit.GROUP"},
        Row{"read.iops >= 95% of limit.", 20, "group", ""},
        Row{"read.latency.p99 <= limit", 20, "no limit speaks of read.latency.p99", "iops and bandwidth"},
        Row{"read.operations >= 50% of limit", 26, "no limit", ""},
        Row{"sync.iops >= 50% of limit", 20, "no limit", ""},
        Row{"read.iops.cv <= 50% of limit", 23, "no limit", ""},
        Row{"read.iops within 5% 6000", 20, "expected 'of'", ""},
        Row{"read.iops within 6000", 17, "no percent sign", "95%"},
        Row{"read.iops.cv <= 0.05", 16, "'0.05' has no percent sign; write 5%", ""},
        Row{"cpu.user < 0.125", 11, "write 12.5%", ""},
        Row{"cpu.user < 5", 11, "write 5%", ""},
        Row{"read.iops within", 16, "percentage is missing", ""},
        Row{"read.iops within 0% of 6000", 17, "0%", "5%"},
        Row{"read.iops >= within 5% of 6000", 13, "is a number per second", ""},
        Row{"read.iops >= 1 for", 18, "percentage is missing", ""},
        Row{"read.iops >= 1 for 99%", 22, "expected 'of'", ""},
        Row{"read.iops >= 1 for 99% intervals", 23, "expected 'of'", ""},
        Row{"read.iops >= 1 for 99% of interval", 26, "expected 'intervals'", ""},
        Row{"read.iops >= 1 for 0% of intervals", 19, "above 0%", ""},
        Row{"read.iops >= 1 for 101% of intervals", 19, "at most 100%", ""},
        Row{"read.latency.p90 <= 1ms for 99% of intervals", 0, "not measured per interval", ".p99"},
        Row{"read.latency.p99.95 <= 1ms for 99% of intervals", 0, "not measured per interval", ""},
        Row{"read.iops.min >= 1 for 99% of intervals", 0, "not measured per interval", ""},
        Row{"queue_depth.mean >= 1 for 99% of intervals", 0, "not measured per interval", ""},
        Row{"read.iops >= 1 with", 19, "severity is missing", "warn"},
        Row{"read.iops >= 1 with error", 20, "'error' is not a severity", "warn"},
        Row{"read.iops >= 1 with warn for 99% of intervals", 25, "'for' is not expected", ""},
        Row{"read.iops >= 1 with warn with warn", 25, "'with' is not expected", ""},
        Row{"read.iops >= 1 and write.iops >= 1", 15, "'and' is not expected", ""},
        Row{"read.iops >= 1 # fast", 15, "'#'", ""}}) {
    CAPTURE(row.text);
    const CompiledThreshold compiled = compile_threshold(row.text);
    const auto* error = std::get_if<ThresholdError>(&compiled);
    REQUIRE(error != nullptr);
    CAPTURE(error->text);
    CAPTURE(error->hint);
    CHECK(error->offset == row.offset);
    CHECK(error->text.find(row.error) != std::string::npos);
    CHECK(error->hint.find(row.hint) != std::string::npos);
  }
}

TEST_CASE("threshold: what only an open loop measures has its units") {
  for (const std::string text : {"rate.achieved >= 99%", "rate.unissued == 0", "runner.lateness.p99 <= 5us",
                                 "read.service_latency.p50 <= 5ms", "total.service_latency.p99.95 <= 5ms"}) {
    CAPTURE(text);
    CHECK(std::holds_alternative<ThresholdExpr>(compile_threshold(text)));
  }
  for (const std::string text : {"rate.achieved >= 99", "rate.unissued <= 5ms", "runner.lateness.p99 <= 5",
                                 "read.service_latency.p50 <= 5ms for 99% of intervals"}) {
    CAPTURE(text);
    CHECK(std::holds_alternative<ThresholdError>(compile_threshold(text)));
  }
}

TEST_CASE("threshold: a share of what another phase reached") {
  ThresholdExpr expr = good("read.iops >= 90% of phase warm");
  REQUIRE(expr.phase);
  CHECK(expr.phase->name == "warm");
  CHECK(expr.phase->share == 0.9);
  CHECK_FALSE(expr.limit);
  expr =
      good("read.latency.p99 within 5% of phase mix/block_size=4KiB/operations=r50w50 for 99% of intervals with warn");
  CHECK(expr.phase->name == "mix/block_size=4KiB/operations=r50w50");
  CHECK(expr.phase->share == 1);
  CHECK(expr.interval_percent == 99);
  CHECK(expr.warn == true);
  CHECK_FALSE(interval_latency_bound(expr));
  CHECK(good("read.iops > 110% of phase two words").phase->name == "two words");
  const CompiledThreshold nameless = compile_threshold("read.iops >= 90% of phase for 5% of intervals");
  REQUIRE(std::holds_alternative<ThresholdError>(nameless));
  CHECK(std::get<ThresholdError>(nameless).text == "the name of the phase is missing");
}

TEST_CASE("abort: a metric of intervals, a bound, and how long it must hold") {
  const CompiledThreshold compiled = compile_abort("read.latency.p99 > 500ms for 10s");
  REQUIRE(std::holds_alternative<ThresholdExpr>(compiled));
  const auto& expr = std::get<ThresholdExpr>(compiled);
  CHECK(expr.metric.name == "read.latency.p99");
  CHECK(expr.comparison == Comparison::above);
  CHECK(expr.number == 5e8);
  CHECK(expr.sustained == std::uint64_t{10'000'000'000});
  struct Row {
    const char *text, *says;
  };
  for (const Row& row : {Row{"read.iops < 5", "how long it must hold is missing"},
                         Row{"read.iops < 5 for ever", "'ever' is not a duration"},
                         Row{"read.iops < 5 for 0s", "it must hold for more than no time"},
                         Row{"read.iops < 5 for 90% of intervals", "'90%' is not a duration"},
                         Row{"read.iops < 5 for 1s with warn", "'with' is not expected here"},
                         Row{"read.latency.p95 > 1ms for 1s", "read.latency.p95 is not measured per interval"},
                         Row{"read.iosp < 5 for 1s", "'read.iosp' is not a metric"}, Row{"", "a threshold is empty"}}) {
    CAPTURE(row.text);
    const CompiledThreshold wrong = compile_abort(row.text);
    REQUIRE(std::holds_alternative<ThresholdError>(wrong));
    const std::string text = std::get<ThresholdError>(wrong).text;
    CHECK(text == row.says);
  }
  const CompiledThreshold misplaced = compile_threshold("read.iops < 5 for 1s");
  REQUIRE(std::holds_alternative<ThresholdError>(misplaced));
  CHECK(std::get<ThresholdError>(misplaced).text == "'for DURATION' belongs to `abort`");
}

TEST_CASE("threshold: what a later version brings is refused as not available") {
  struct Row {
    std::string text;
    std::size_t offset;
  };
  for (const Row& row : {Row{"read.iops >= 90% of baseline", 20}, Row{"read.iops >= baseline", 13},
                         Row{"read.iops >= baseline - noise", 13}, Row{"read.iops >= 95% of peers", 20},
                         Row{"device.utilization <= 90%", 0}, Row{"cache.hit_ratio <= 5%", 0},
                         Row{"search.knee >= 5", 0}, Row{"steady_state.range <= 20%", 0}}) {
    CAPTURE(row.text);
    const CompiledThreshold compiled = compile_threshold(row.text);
    const auto* error = std::get_if<ThresholdError>(&compiled);
    REQUIRE(error != nullptr);
    CAPTURE(error->text);
    CHECK(error->text.find("not available in this version") != std::string::npos);
    CHECK(error->offset == row.offset);
  }
}

TEST_CASE("threshold: a map's severity holds where the text has none") {
  const auto warn_of = [](const Threshold& threshold) {
    return std::get<ThresholdExpr>(compile_threshold(threshold)).warn;
  };
  CHECK(warn_of({"read.iops >= 1", true}) == true);
  CHECK(warn_of({"read.iops >= 1", false}) == false);
  CHECK(warn_of({"read.iops >= 1 with fail", true}) == false);
  CHECK(warn_of({"read.iops >= 1 with warn", false}) == true);
}

TEST_CASE("threshold: the planner learns which percentiles and interval bounds are needed") {
  CHECK(extra_percentile(good("read.latency.p99.95 <= 5ms")) == "p99.95");
  CHECK_FALSE(extra_percentile(good("read.latency.max <= 5ms")));
  CHECK(interval_latency_bound(good("read.latency.p99 <= 5ms for 99% of intervals")) == 5'000'000);
  CHECK_FALSE(interval_latency_bound(good("read.latency.p99 <= 5ms")));
  CHECK_FALSE(interval_latency_bound(good("read.iops >= 5 for 99% of intervals")));
}

TEST_CASE("threshold: any mixture of words gives an expression or an error inside the text") {
  const std::vector<std::string> words{"read.iops",   "write.latency.p99",
                                       "read.errors", ">=",
                                       "<=",          "==",
                                       "<>",          "within",
                                       "5%",          "6000",
                                       "5ms",         "of",
                                       "limit",       "limit.a",
                                       "for",         "99%",
                                       "intervals",   "with",
                                       "warn",        "fail",
                                       "baseline",    "-",
                                       "noise",       "\xff",
                                       "%",           "phase",
                                       "\xc3\xa9"};
  const std::vector<std::string> sentence{"read.iops", ">=", "95%",       "of",   "limit", "for",
                                          "99%",       "of", "intervals", "with", "warn"};
  std::mt19937 random(1);
  std::size_t fine = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::string> mixed = sentence;
    for (std::size_t changes = random() % 4; changes > 0; --changes) {
      const auto place = std::next(mixed.begin(), static_cast<std::ptrdiff_t>(random() % mixed.size()));
      if (random() % 2 == 0)
        mixed.erase(place);
      else
        *place = words[random() % words.size()];
    }
    mixed.resize(mixed.size() - random() % 3);
    std::string text;
    for (const std::string& word : mixed) text += word + (random() % 8 != 0 ? " " : "");
    const CompiledThreshold compiled = compile_threshold(text);
    if (const auto* error = std::get_if<ThresholdError>(&compiled)) {
      REQUIRE(error->offset <= text.size());
      REQUIRE_FALSE(error->text.empty());
    } else {
      ++fine;
    }
  }
  CHECK(fine > 1000);
  CHECK(fine < 15000);
  const CompiledThreshold endless = compile_threshold(std::string(1'000'000, 'x') + " >= 1");
  REQUIRE(std::holds_alternative<ThresholdError>(endless));
  CHECK(std::get<ThresholdError>(endless).text.size() < 200);
}

}  // namespace
}  // namespace diskproof
