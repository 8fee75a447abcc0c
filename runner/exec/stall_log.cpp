// Keeping and intersecting gaps; off the measured path but for the rare insert.
#include "exec/stall_log.hpp"

#include <algorithm>
#include <vector>

namespace diskproof {

void StallLog::insert(Gap gap) noexcept {
  if (count_ < kCapacity) {
    gaps_[count_++] = gap;
    if (count_ < kCapacity) return;
  } else {
    *std::min_element(gaps_.begin(), gaps_.end(), [](Gap a, Gap b) { return a.length() < b.length(); }) = gap;
  }
  threshold_ =
      std::min_element(gaps_.begin(), gaps_.end(), [](Gap a, Gap b) { return a.length() < b.length(); })->length();
}

void StallLog::clip(Ticks end) noexcept {
  for (Gap& gap : gaps_) gap = {std::min(gap.begin, end), std::min(gap.end, end)};
}

namespace {

std::vector<Gap> all_gaps(const WorkerStalls& worker, Ticks begin, Ticks end) {
  std::vector<Gap> gaps(worker.gaps.begin(), worker.gaps.end());
  if (begin < worker.begin) gaps.push_back({begin, worker.begin});
  if (worker.end < end) gaps.push_back({worker.end, end});
  return gaps;
}

std::vector<Gap> intersect(const std::vector<Gap>& a, const std::vector<Gap>& b) {
  std::vector<Gap> common;
  for (const Gap& x : a) {
    for (const Gap& y : b) {
      const Gap overlap{std::max(x.begin, y.begin), std::min(x.end, y.end)};
      if (overlap.begin < overlap.end) common.push_back(overlap);
    }
  }
  std::sort(common.begin(), common.end(), [](Gap p, Gap q) { return p.length() > q.length(); });
  if (common.size() > StallLog::kCapacity) common.resize(StallLog::kCapacity);
  return common;
}

}  // namespace

Ticks longest_common_gap(std::span<const WorkerStalls> workers) {
  if (workers.empty()) return 0;
  Ticks begin = workers.front().begin, end = workers.front().end;
  for (const WorkerStalls& worker : workers) {
    begin = std::min(begin, worker.begin);
    end = std::max(end, worker.end);
  }
  std::vector<Gap> common = all_gaps(workers.front(), begin, end);
  for (const WorkerStalls& worker : workers.subspan(1)) common = intersect(common, all_gaps(worker, begin, end));
  Ticks longest = 0;
  for (const Gap& gap : common) longest = std::max(longest, gap.length());
  return longest;
}

}  // namespace diskproof
