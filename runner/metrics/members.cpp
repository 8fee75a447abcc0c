// Rows of the members are laid on one grid that begins with the first of them.
#include "metrics/members.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "metrics/sums.hpp"

namespace diskproof {
namespace {

void add_direction(IntervalDirection& to, const IntervalDirection& from) {
  to.operations += from.operations;
  to.bytes += from.bytes;
  to.errors += from.errors;
  to.latency_sum += from.latency_sum;
  to.latency_max = std::max(to.latency_max, from.latency_max);
}

void add_row(Interval& to, const Interval& from) {
  to.duration = std::max(to.duration, from.duration);
  to.full = to.full || from.full;
  for (std::size_t i = 0; i < kDirections; ++i) add_direction(to.directions[i], from.directions[i]);
}

class Grid {
 public:
  explicit Grid(std::span<const Member> members) : members_(members) {
    origin_ = std::ranges::min_element(members, {}, &Member::anchor)->anchor;
    width_ = members.front().data->interval_grid;
  }

  [[nodiscard]] std::uint64_t origin() const noexcept { return origin_; }
  [[nodiscard]] std::uint64_t width() const noexcept { return width_; }

  // Of the member's row 0.
  [[nodiscard]] std::int64_t offset(const Member& member) const {
    return width_ == 0 ? 0 : static_cast<std::int64_t>((member.anchor - origin_) / width_);
  }

  // Rows first, first + 1, … up to the last of any member, empty ones too.
  [[nodiscard]] std::vector<Interval> rows(std::int64_t first) const {
    std::vector<Interval> sum;
    for (const Member& member : members_) {
      for (const Interval& row : member.data->intervals) {
        const std::int64_t index = row.index + offset(member);
        for (std::int64_t next = first + static_cast<std::int64_t>(sum.size()); next <= index; ++next) {
          sum.emplace_back().index = next;
          sum.back().full = false;
        }
        if (index >= first) add_row(sum[static_cast<std::size_t>(index - first)], row);
      }
    }
    // Nobody measured in a row between others: it is as long as it was, and empty.
    for (Interval& row : sum) {
      if (row.duration == 0) row.duration = width_, row.full = true;
    }
    return sum;
  }

 private:
  std::span<const Member> members_;
  std::uint64_t origin_ = 0;
  std::uint64_t width_ = 0;
};

}  // namespace

RunData sum_members(std::span<const Member> members) {
  const Grid grid(members);
  RunData sum;
  sum.interval_grid = grid.width();
  sum.window_begin = std::numeric_limits<std::uint64_t>::max();
  for (const Member& member : members) {
    const RunData& data = *member.data;
    add_amounts(sum, data);
    sum.window_begin = std::min(sum.window_begin, data.window_begin);
    sum.window_end = std::max(sum.window_end, data.window_end);
  }
  sum.intervals = grid.rows(0);
  return sum;
}

std::optional<RunData> common_window(std::span<const Member> members) {
  const Grid grid(members);
  std::int64_t begin = 0, end = std::numeric_limits<std::int64_t>::max();
  for (const Member& member : members) {
    const auto& rows = member.data->intervals;
    const auto full = std::ranges::find_if(rows, [](const Interval& row) { return !row.full; }) - rows.begin();
    begin = std::max(begin, grid.offset(member));
    end = std::min(end, grid.offset(member) + static_cast<std::int64_t>(full));
  }
  if (begin >= end) return std::nullopt;
  std::vector<Interval> rows = grid.rows(begin);
  rows.resize(static_cast<std::size_t>(end - begin));
  for (Interval& row : rows) row.index -= begin;
  return partial_run(std::move(rows), grid.origin() + static_cast<std::uint64_t>(begin) * grid.width(), grid.width());
}

}  // namespace diskproof
