// The interval series as columns and back.
#include <algorithm>
#include <array>
#include <string_view>

#include "metrics/json_reader.hpp"
#include "metrics/run_data_json.hpp"

namespace diskproof {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostRows = 1'000'000;  // a day at 100 ms; a row takes about 0.5 KB
constexpr std::size_t kMostBounds = 64;

using Count = std::uint64_t IntervalDirection::*;
using Percentile = std::optional<std::uint64_t> IntervalDirection::*;
constexpr std::array<std::pair<const char*, Count>, 5> kCounts{{{"operations", &IntervalDirection::operations},
                                                                {"bytes", &IntervalDirection::bytes},
                                                                {"errors", &IntervalDirection::errors},
                                                                {"latency_sum", &IntervalDirection::latency_sum},
                                                                {"latency_max", &IntervalDirection::latency_max}}};
constexpr std::array<std::pair<const char*, Percentile>, 3> kPercentiles{
    {{"p50", &IntervalDirection::p50}, {"p99", &IntervalDirection::p99}, {"p99.9", &IntervalDirection::p999}}};

bool in_use(const IntervalDirection& direction) {
  const bool counted = std::ranges::any_of(kCounts, [&](const auto& column) { return direction.*column.second != 0; });
  const bool timed =
      std::ranges::any_of(kPercentiles, [&](const auto& column) { return bool(direction.*column.second); });
  return counted || timed || !direction.above.empty();
}

Json direction_columns(std::span<const Interval> rows, std::size_t which) {
  Json json = Json::object();
  for (const auto& [name, member] : kCounts) {
    Json& column = json[name] = Json::array();
    for (const Interval& row : rows) column.push_back(row.directions[which].*member);
  }
  for (const auto& [name, member] : kPercentiles) {
    Json& column = json[name] = Json::array();
    for (const Interval& row : rows) {
      const auto& value = row.directions[which].*member;
      column.push_back(value ? Json(*value) : Json());
    }
  }
  if (std::ranges::any_of(rows, [&](const Interval& row) { return !row.directions[which].above.empty(); })) {
    Json& column = json["above"] = Json::array();
    for (const Interval& row : rows) column.push_back(Json(row.directions[which].above));
  }
  return json;
}

JsonReader column_of(const JsonReader& reader, const char* name, std::size_t rows) {
  JsonReader column = reader.at(name);
  if (column.array_size(kMostRows) != rows) column.fail("does not have as many elements as index");
  return column;
}

void read_direction(const JsonReader& reader, std::vector<Interval>& rows, std::size_t which) {
  for (const auto& [name, member] : kCounts) {
    const JsonReader column = column_of(reader, name, rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].directions[which].*member = column.count_at(i);
  }
  for (const auto& [name, member] : kPercentiles) {
    const JsonReader column = column_of(reader, name, rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!column.json()[i].is_null()) rows[i].directions[which].*member = column.count_at(i);
    }
  }
  if (!reader.has("above")) return;
  const JsonReader column = column_of(reader, "above", rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const JsonReader bounds = column.element(i);
    const std::size_t size = bounds.array_size(kMostBounds);
    for (std::size_t k = 0; k < size; ++k) rows[i].directions[which].above.push_back(bounds.count_at(k));
  }
}

// Each row is null or [p50, p99, p99.9].
void read_totals(const JsonReader& reader, std::vector<Interval>& rows) {
  const JsonReader column = column_of(reader, "total", rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const JsonReader row = column.element(i);
    if (row.json().is_null()) continue;
    if (row.array_size(3) != 3) row.fail("does not have three percentiles");
    rows[i].total = IntervalPercentiles{row.count_at(0), row.count_at(1), row.count_at(2)};
  }
}

}  // namespace

Json intervals_to_json(std::span<const Interval> rows) {
  Json json = Json::object();
  for (const char* name : {"index", "duration", "full"}) json[name] = Json::array();
  bool mixed = false;
  for (const Interval& row : rows) {
    json["index"].push_back(row.index);
    json["duration"].push_back(row.duration);
    json["full"].push_back(row.full);
    mixed = mixed || row.total.has_value();
  }
  for (std::size_t which = 0; which < kDirections; ++which) {
    const auto used = [which](const Interval& row) { return in_use(row.directions[which]); };
    if (std::ranges::any_of(rows, used)) json[kDirectionNames[which]] = direction_columns(rows, which);
  }
  if (!mixed) return json;
  Json& column = json["total"] = Json::array();
  for (const Interval& row : rows) {
    column.push_back(row.total ? Json{row.total->p50, row.total->p99, row.total->p999} : Json());
  }
  return json;
}

std::vector<Interval> intervals_from_json(const Json& json) {
  const JsonReader reader(json, "intervals");
  const JsonReader index = reader.at("index");
  const std::size_t size = index.array_size(kMostRows);
  const JsonReader duration = column_of(reader, "duration", size);
  const JsonReader full = column_of(reader, "full", size);
  std::vector<Interval> rows(size);
  for (std::size_t i = 0; i < size; ++i) {
    rows[i].index = index.element(i).integer<std::int64_t>();
    rows[i].duration = duration.count_at(i);
    rows[i].full = full.element(i).boolean();
    if (i > 0 && rows[i].index <= rows[i - 1].index) index.fail("does not ascend");
    if (rows[i].full && rows[i].duration == 0) duration.element(i).fail("is 0 for a full interval");
  }
  for (std::size_t which = 0; which < kDirections; ++which) {
    if (reader.has(kDirectionNames[which])) read_direction(reader.at(kDirectionNames[which]), rows, which);
  }
  if (reader.has("total")) read_totals(reader, rows);
  return rows;
}

}  // namespace diskproof
