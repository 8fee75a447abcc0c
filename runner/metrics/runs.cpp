// Sums and merges are exact; a score is of one metric at a time.
#include "metrics/runs.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "metrics/names.hpp"
#include "metrics/sums.hpp"

namespace diskproof {
namespace {

void add_open_loop(std::optional<OpenLoopTotals>& to, const std::optional<OpenLoopTotals>& from) {
  if (!from) return;
  if (!to) to.emplace().rate = from->rate;
  to->issued += from->issued;
  to->unissued += from->unissued;
  if (from->due) to->due = to->due.value_or(0) + *from->due;
  for (std::size_t i = 0; i < kDirections; ++i) to->service_latency[i].merge(from->service_latency[i]);
  to->lateness.merge(from->lateness);
}

void add_looks(std::optional<RoundLooks>& to, const std::optional<RoundLooks>& from) {
  if (!from) return;
  if (!to) to.emplace();
  to->own += from->own;
  to->whole += from->whole;
  to->batches += from->batches;
  to->batches_seen_whole += from->batches_seen_whole;
}

void add_verify(std::optional<VerifyTotals>& to, const std::optional<VerifyTotals>& from) {
  if (!from) return;
  if (!to) to.emplace();
  to->bytes += from->bytes;
  to->expected += from->expected;
  to->operations += from->operations;
  to->busy += from->busy;
  to->wall += from->wall;
  for (std::size_t i = 0; i < kFaultClasses; ++i) to->faulty[i] += from->faulty[i];
  const std::size_t room = VerifyTotals::kMostFaults - std::min(to->faults.size(), VerifyTotals::kMostFaults);
  const auto end = from->faults.begin() + static_cast<std::ptrdiff_t>(std::min(room, from->faults.size()));
  to->faults.insert(to->faults.end(), from->faults.begin(), end);
}

void add_rows(std::vector<Interval>& to, const std::vector<Interval>& from) {
  const std::int64_t offset = to.empty() ? 0 : to.back().index + 1;
  for (Interval row : from) {
    row.index += offset;
    to.push_back(std::move(row));
  }
}

void add_run(RunData& to, const RunData& from) {
  add_amounts(to, from);
  to.window_end += from.window_end - from.window_begin;
  add_rows(to.intervals, from.intervals);
  add_open_loop(to.open_loop, from.open_loop);
  add_looks(to.looks, from.looks);
  add_verify(to.verify, from.verify);
  if (to.network && from.network) add_counters(*to.network, *from.network);
  if (!from.network) to.network.reset();
  to.error_examples.insert(to.error_examples.end(), from.error_examples.begin(), from.error_examples.end());
  if (!to.stuck) to.stuck = from.stuck;
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

RunData join_runs(std::span<const RunData* const> runs) {
  RunData joined = *runs.front();
  for (const RunData* run : runs.subspan(1)) add_run(joined, *run);
  return joined;
}

double score_of(std::span<const double> values, Score score, std::string_view metric) {
  if (score == Score::best) {
    const auto info = find_metric(metric);
    const Better better = info ? info->row->better : Better::neither;
    score = better == Better::higher ? Score::max : better == Better::lower ? Score::min : Score::median;
  }
  switch (score) {
    case Score::max:
      return *std::ranges::max_element(values);
    case Score::min:
      return *std::ranges::min_element(values);
    case Score::mean: {
      double mean = 0;
      for (const double value : values) mean += value / static_cast<double>(values.size());
      return mean;
    }
    default:
      return median_of({values.begin(), values.end()});
  }
}

PhaseMetrics score_runs(std::span<const PhaseMetrics* const> runs, Score score) {
  PhaseMetrics scored;
  if (runs.empty()) return scored;
  for (const auto& [name, first] : runs.front()->all()) {
    std::vector<double> values;
    for (const PhaseMetrics* run : runs) {
      if (const auto value = run->find(name)) values.push_back(*value);
    }
    if (values.size() == runs.size()) scored.set(name, score_of(values, score, name));
  }
  return scored;
}

std::size_t scoring_run(std::span<const PhaseMetrics* const> runs, Score score) {
  std::vector<double> values;
  for (const PhaseMetrics* run : runs) values.push_back(run->find("total.bandwidth").value_or(0));
  const double scored = score_of(values, score, "total.bandwidth");
  const auto nearest =
      std::ranges::min_element(values, {}, [scored](double value) { return std::abs(value - scored); });
  return static_cast<std::size_t>(nearest - values.begin());
}

void add_merged(const PhaseMetrics& joined, PhaseMetrics& metrics) {
  for (const auto& [name, value] : joined.all()) {
    const std::string merged = "merged." + name;
    if (find_metric(merged)) metrics.set(merged, value);
  }
}

}  // namespace diskproof
