// Each row is one phase; its numbers are those that scored.
#include "report/cdm_text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <vector>

#include "report/columns.hpp"
#include "report/console_table.hpp"
#include "report/facts.hpp"
#include "report/run_report.hpp"
#include "support/units.hpp"

namespace diskproof {
namespace {

constexpr std::size_t kWidth = 78;
constexpr double kMega = 1e6;
constexpr double kNanosecondsPerMicrosecond = 1e3;

struct Row {
  const PhaseReport& phase;
  const PhasePlan& plan;
};

bool reads(const Row& row) { return row.plan.operations.read > 0; }
bool writes(const Row& row) { return row.plan.operations.write > 0; }

std::vector<Row> rows_of(const RunReport& report) {
  std::vector<Row> rows;
  for (const PhaseReport& phase : report.phases) {
    const PhasePlan* plan = find_planned(report, phase.name);
    if (phase.kind == "measure" && plan != nullptr && plan->operations.trim <= 0) rows.push_back({phase, *plan});
  }
  return rows;
}

// "1MiB"; several block sizes have no place in the view.
std::string block_text(const PhasePlan& plan) {
  if (!plan.block_sizes.empty()) return "mixed";
  std::string text = format_bytes(plan.block_size);
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

std::string label(const PhasePlan& plan) {
  return fmt::format("  {} {:>7} (Q={:3}, T={:2}):", plan.access == Access::sequential ? "SEQ" : "RND",
                     block_text(plan), plan.queue_depth, plan.threads);
}

// The metrics of a row: of its one direction, or of both together.
std::string direction(const Row& row) { return reads(row) && writes(row) ? "total" : reads(row) ? "read" : "write"; }

// Of both directions together: each mean counts with its operations.
std::optional<double> mean_latency(const Row& row) {
  double sum = 0, count = 0;
  for (const char* name : {"read", "write"}) {
    const auto mean = row.phase.metrics.find(std::string(name) + ".latency.mean");
    const auto operations = row.phase.metrics.find(std::string(name) + ".operations");
    if (!mean || !operations) continue;
    sum += *mean * *operations;
    count += *operations;
  }
  if (count <= 0) return std::nullopt;
  return sum / count;
}

// What ended in an error before it was whole is no measurement.
bool is_valid(const Row& row) { return row.phase.outcome != Outcome::error && row.phase.outcome != Outcome::skipped; }

std::size_t runs_that_count(const Row& row) {
  const auto& runs = row.phase.runs;
  return static_cast<std::size_t>(std::ranges::count(runs, false, &RunRecord::discarded));
}

std::string measured_row(const Row& row) {
  const auto bandwidth = row.phase.metrics.find(direction(row) + ".bandwidth");
  const auto iops = row.phase.metrics.find(direction(row) + ".iops");
  const auto latency = mean_latency(row);
  if (!is_valid(row) || !bandwidth || !iops || !latency || *iops <= 0) {
    return fmt::format("{} {}: {}\n", label(row.plan), outcome_word(row.phase.outcome, false),
                       one_line(row.phase.reason.empty() ? "it was not measured as planned" : row.phase.reason));
  }
  return fmt::format("{} {:9.3f} MB/s [{:9.1f} IOPS] <{:9.2f} us>\n", label(row.plan), *bandwidth / kMega, *iops,
                     *latency / kNanosecondsPerMicrosecond);
}

std::string section(const std::string& title, const std::vector<Row>& rows, const std::function<bool(const Row&)>& in) {
  std::string text;
  for (const Row& row : rows) {
    if (in(row)) text += measured_row(row);
  }
  return text.empty() ? "" : title + "\n" + text + "\n";
}

std::string mix_title(const PhasePlan& plan) {
  return fmt::format("[Mix] Read {:g}%/Write {:g}%", plan.operations.read, plan.operations.write);
}

// One section per mix, in the order of the job.
std::string mixes(const std::vector<Row>& rows) {
  std::vector<std::string> titles;
  for (const Row& row : rows) {
    if (!reads(row) || !writes(row)) continue;
    const std::string title = mix_title(row.plan);
    if (std::find(titles.begin(), titles.end(), title) == titles.end()) titles.push_back(title);
  }
  std::string text;
  for (const std::string& title : titles) {
    text += section(title, rows, [&](const Row& row) { return mix_title(row.plan) == title; });
  }
  return text;
}

// What the phases have in common, or "various".
std::string common(const std::vector<Row>& rows, const std::function<std::string(const Row&)>& text_of) {
  const std::string first = text_of(rows.front());
  const bool all = std::all_of(rows.begin(), rows.end(), [&](const Row& row) { return text_of(row) == first; });
  return all ? first : "various";
}

std::string seconds_text(std::uint64_t ns) { return fmt::format("{:g} sec", static_cast<double>(ns) / 1e9); }

std::string stop_text(const Row& row) {
  const StopRule& stop = row.plan.stop;
  if (stop.kind == StopRule::Kind::duration) return seconds_text(stop.value);
  return stop.kind == StopRule::Kind::bytes ? format_bytes(stop.value) : fmt::format("{} operations", stop.value);
}

std::string pause_text(const Row& row) { return seconds_text(row.plan.pause); }

// The first test has nothing to wait for.
std::vector<Row> later_rows(const std::vector<Row>& rows) {
  return rows.size() < 2 ? rows : std::vector<Row>(rows.begin() + 1, rows.end());
}

std::string target_text(const Row& row) {
  return row.plan.targets.empty() ? row.plan.disk : one_line(row.plan.targets.front().spec);
}

std::string footer(const RunReport& report, const std::vector<Row>& rows) {
  std::string text = fmt::format("Profile: {}\n", one_line(report.plan.job_name));
  if (!rows.empty()) {
    text += fmt::format("   Test: {} ({}) [{}]\n",
                        common(rows, [](const Row& row) { return format_bytes(row.plan.region_size); }),
                        common(rows, [](const Row& row) { return fmt::format("x{}", runs_that_count(row)); }),
                        common(rows, target_text));
    text += fmt::format("   Time: Measure {} / Interval {}\n", common(rows, stop_text),
                        common(later_rows(rows), pause_text));
  }
  text += fmt::format("   Date: {}\n", one_line(report.started_at));
  text += fmt::format("     OS: {} {}\n", one_line(report.host.os), one_line(report.host.kernel));
  return text;
}

// MB/s of the runs that count, ascending.
std::vector<double> bandwidths(const Row& row) {
  std::vector<double> values;
  for (const RunRecord& run : row.phase.runs) {
    const auto value = run.metrics.find(direction(row) + ".bandwidth");
    if (!run.discarded && value) values.push_back(*value / kMega);
  }
  std::sort(values.begin(), values.end());
  return values;
}

double median(const std::vector<double>& ascending) {
  const std::size_t middle = ascending.size() / 2;
  return ascending.size() % 2 == 1 ? ascending[middle] : (ascending[middle - 1] + ascending[middle]) / 2;
}

// Spread: largest less smallest, of the median.
std::string spread_row(const Row& row) {
  const std::vector<double> values = bandwidths(row);
  const auto score = row.phase.metrics.find(direction(row) + ".bandwidth");
  if (!is_valid(row) || values.size() < 2 || !score) return "";
  const double middle = median(values);
  return fmt::format("{} {:<5} {:10.3f} {:10.3f} {:10.3f} {:10.3f} {:7.1f}%\n", label(row.plan),
                     reads(row) && writes(row) ? "mix" : direction(row), *score / kMega, middle, values.front(),
                     values.back(), middle > 0 ? (values.back() - values.front()) / middle * 100 : 0.0);
}

std::string spreads(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) text += spread_row(row);
  if (text.empty()) return "";
  return fmt::format("\nMB/s of the runs that count\n{:33} {:>10} {:>10} {:>10} {:>10} {:>8}\n{}", "", "score",
                     "median", "min", "max", "spread", text);
}

}  // namespace

std::string to_cdm_text(const RunReport& report) {
  const std::string rule(kWidth, '-');
  const std::vector<Row> rows = rows_of(report);
  return fmt::format(
             "{}\ndiskproof {}\n{}\n* MB/s = 1,000,000 bytes/s [SATA/600 = 600,000,000 bytes/s]\n"
             "* KB = 1000 bytes, KiB = 1024 bytes\n\n",
             rule, report.tool_version, rule) +
         section("[Read]", rows, [](const Row& row) { return reads(row) && !writes(row); }) +
         section("[Write]", rows, [](const Row& row) { return writes(row) && !reads(row); }) + mixes(rows) +
         footer(report, rows) + spreads(rows);
}

}  // namespace diskproof
