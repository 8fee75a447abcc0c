// Field by field, writer and reader of each struct side by side.
#include "metrics/run_data_json.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "metrics/json_reader.hpp"
#include "metrics/names.hpp"
#include "metrics/verify_json.hpp"

namespace diskproof {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostExamples = 1000;
constexpr std::size_t kMostMetrics = 4096;
constexpr double kExactInteger = 9007199254740992.0;  // 2^53: whole numbers below are exact in a double

Json direction_to_json(const DirectionTotals& totals) {
  return {{"operations", totals.operations},
          {"bytes", totals.bytes},
          {"errors", totals.errors},
          {"error_latency_sum", totals.error_latency_sum},
          {"latency", histogram_to_json(totals.latency)}};
}

bool in_use(const DirectionTotals& totals) {
  return (totals.operations | totals.bytes | totals.errors | totals.error_latency_sum | totals.latency.count()) != 0;
}

void read_histogram(const JsonReader& reader, Histogram& histogram) {
  histogram.clear();
  const JsonReader slots = reader.at("slots");
  const std::size_t size = slots.array_size(kHistogramSlots);
  std::size_t lowest = 0;
  std::size_t highest = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const JsonReader pair = slots.element(i);
    if (pair.array_size(2) != 2) pair.fail("is not [slot, count]");
    const auto slot = pair.element(0).integer<std::size_t>();
    const std::uint64_t count = pair.count_at(1);
    if (slot >= kHistogramSlots) pair.fail("names a slot that does not exist");
    if (i > 0 && slot <= highest) pair.fail("does not ascend");
    if (count == 0 || count > ~std::uint64_t{0} - histogram.count()) pair.fail("has an impossible count");
    lowest = i == 0 ? slot : lowest;
    highest = slot;
    histogram.add_to_slot(slot, count);
  }
  if (size == 0) return;
  const std::uint64_t min = reader.at("min").count();
  const std::uint64_t max = reader.at("max").count();
  if (histogram_slot(min) != lowest) reader.at("min").fail("is not in the lowest slot");
  if (histogram_slot(max) != highest || max < min) reader.at("max").fail("is not in the highest slot");
  histogram.set_exact(reader.at("sum").count(), min, max);
}

void read_direction(const JsonReader& reader, DirectionTotals& totals) {
  totals.operations = reader.at("operations").count();
  totals.bytes = reader.at("bytes").count();
  totals.errors = reader.at("errors").count();
  totals.error_latency_sum = reader.at("error_latency_sum").count();
  read_histogram(reader.at("latency"), totals.latency);
}

Json drain_to_json(const Drain& drain) {
  return {{"operations", drain.operations},
          {"latency_max", drain.latency_max},
          {"direction_latency_max", drain.direction_latency_max},
          {"finished", drain.finished}};
}

Drain read_drain(const JsonReader& reader) {
  Drain drain;
  drain.operations = reader.at("operations").count();
  drain.latency_max = reader.at("latency_max").count();
  const JsonReader directions = reader.at("direction_latency_max");
  if (directions.array_size(kDirections) != kDirections) directions.fail("does not have four elements");
  for (std::size_t i = 0; i < kDirections; ++i) drain.direction_latency_max[i] = directions.count_at(i);
  drain.finished = reader.at("finished").boolean();
  return drain;
}

Json example_to_json(const IoErrorExample& example) {
  return {{"direction", kDirectionNames[static_cast<std::size_t>(example.direction)]},
          {"offset", example.offset},
          {"length", example.length},
          {"code", example.code},
          {"os_code", example.os_code},
          {"text", example.text}};
}

IoErrorExample read_example(const JsonReader& reader) {
  IoErrorExample example;
  const std::string& name = reader.at("direction").text(kLongestText);
  std::size_t which = 0;
  while (which < kDirections && name != kDirectionNames[which]) ++which;
  if (which == kDirections) reader.at("direction").fail("is none of read, write, trim, sync");
  example.direction = static_cast<Direction>(which);
  example.offset = reader.at("offset").count();
  example.length = reader.at("length").integer<std::uint32_t>();
  example.code = reader.at("code").integer<std::int32_t>();
  example.os_code = reader.at("os_code").integer<std::uint32_t>();
  example.text = reader.at("text").text(kLongestText);
  return example;
}

Json stuck_to_json(const StuckIo& stuck) {
  return {{"worker", stuck.worker}, {"tag", stuck.tag}, {"offset", stuck.offset}, {"age", stuck.age}};
}

StuckIo read_stuck(const JsonReader& reader) {
  return {reader.at("worker").integer<std::uint32_t>(), reader.at("tag").integer<std::uint32_t>(),
          reader.at("offset").count(), reader.at("age").count()};
}

Json open_loop_to_json(const OpenLoopTotals& open_loop) {
  Json service = Json::object();
  for (std::size_t i = 0; i < kDirections; ++i) {
    const Histogram& histogram = open_loop.service_latency[i];
    if (histogram.count() > 0) service[kDirectionNames[i]] = histogram_to_json(histogram);
  }
  Json json{{"rate", open_loop.rate}, {"issued", open_loop.issued}, {"unissued", open_loop.unissued}};
  if (open_loop.due) json["due"] = *open_loop.due;
  json["service_latency"] = std::move(service);
  json["lateness"] = histogram_to_json(open_loop.lateness);
  return json;
}

void read_open_loop(const JsonReader& reader, OpenLoopTotals& open_loop) {
  open_loop.rate = reader.at("rate").real();
  if (!(open_loop.rate > 0)) reader.at("rate").fail("is not above 0");
  open_loop.issued = reader.at("issued").count();
  open_loop.unissued = reader.at("unissued").count();
  if (reader.has("due")) open_loop.due = reader.at("due").count();
  const JsonReader service = reader.at("service_latency");
  if (!service.json().is_object()) service.fail("is not an object");
  for (std::size_t i = 0; i < kDirections; ++i) {
    if (service.has(kDirectionNames[i])) read_histogram(service.at(kDirectionNames[i]), open_loop.service_latency[i]);
  }
  read_histogram(reader.at("lateness"), open_loop.lateness);
}

Json looks_to_json(const RoundLooks& looks) {
  return {{"own", looks.own},
          {"whole", looks.whole},
          {"batches", looks.batches},
          {"batches_seen_whole", looks.batches_seen_whole}};
}

RoundLooks read_looks(const JsonReader& reader) {
  const RoundLooks looks{reader.at("own").count(), reader.at("whole").count(), reader.at("batches").count(),
                         reader.at("batches_seen_whole").count()};
  if (looks.whole == 0 || looks.own > looks.whole) reader.at("own").fail("is more than the whole");
  if (looks.batches_seen_whole > looks.batches) reader.at("batches_seen_whole").fail("is more than there were");
  return looks;
}

Json clock_to_json(const ClockFacts& clock) {
  Json json = {{"source", clock.source}, {"ticks_per_second", clock.ticks_per_second}};
  if (clock.drift_before) json["drift_before"] = *clock.drift_before;
  if (clock.drift) json["drift"] = *clock.drift;
  return json;
}

ClockFacts read_clock(const JsonReader& reader) {
  ClockFacts clock{reader.at("source").text(kLongestText), reader.at("ticks_per_second").count(), {}, {}};
  if (reader.has("drift_before")) clock.drift_before = reader.at("drift_before").real();
  if (reader.has("drift")) clock.drift = reader.at("drift").real();
  return clock;
}

BufferFacts read_buffers(const JsonReader& reader) {
  return {reader.at("bytes").count(), reader.at("pages").text(kLongestText)};
}

}  // namespace

Json histogram_to_json(const Histogram& histogram) {
  Json slots = Json::array();
  if (histogram.count() == 0) return {{"slots", std::move(slots)}};
  for (std::size_t slot = histogram_slot(histogram.min()); slot <= histogram_slot(histogram.max()); ++slot) {
    if (histogram.slot_count(slot) != 0) slots.push_back(Json::array({slot, histogram.slot_count(slot)}));
  }
  return {{"slots", std::move(slots)}, {"sum", histogram.sum()}, {"min", histogram.min()}, {"max", histogram.max()}};
}

void histogram_from_json(const Json& json, Histogram& histogram) { read_histogram({json, "histogram"}, histogram); }

Json run_data_to_json(const RunData& data) {
  Json json = {{"window_begin", data.window_begin},
               {"window_end", data.window_end},
               {"interval_grid", data.interval_grid},
               {"directions", Json::object()}};
  for (std::size_t i = 0; i < kDirections; ++i) {
    if (in_use(data.directions[i])) json["directions"][kDirectionNames[i]] = direction_to_json(data.directions[i]);
  }
  json["intervals"] = intervals_to_json(data.intervals);
  json["warmup_intervals"] = intervals_to_json(data.warmup_intervals);
  json["drain"] = drain_to_json(data.drain);
  json["in_flight_integral"] = data.in_flight_integral;
  json["in_window_time"] = data.in_window_time;
  json["stall_max"] = data.stall_max;
  json["cpu_user"] = data.cpu_user;
  json["cpu_system"] = data.cpu_system;
  if (data.partial) json["partial"] = true;
  if (data.open_loop) json["open_loop"] = open_loop_to_json(*data.open_loop);
  if (data.looks) json["looks"] = looks_to_json(*data.looks);
  if (data.buffers) json["buffers"] = {{"bytes", data.buffers->bytes}, {"pages", data.buffers->pages}};
  if (data.clock) json["clock"] = clock_to_json(*data.clock);
  json["error_examples"] = Json::array();
  for (const IoErrorExample& example : data.error_examples) json["error_examples"].push_back(example_to_json(example));
  if (data.stuck) json["stuck"] = stuck_to_json(*data.stuck);
  if (data.verify) json["verify"] = verify_to_json(*data.verify);
  return json;
}

RunData run_data_from_json(const Json& json) {
  const JsonReader reader(json, "run");
  RunData data;
  data.window_begin = reader.at("window_begin").count();
  data.window_end = reader.at("window_end").count();
  data.interval_grid = reader.at("interval_grid").count();
  const JsonReader directions = reader.at("directions");
  if (!directions.json().is_object()) directions.fail("is not an object");
  for (std::size_t i = 0; i < kDirections; ++i) {
    if (directions.has(kDirectionNames[i])) read_direction(directions.at(kDirectionNames[i]), data.directions[i]);
  }
  data.intervals = intervals_from_json(reader.at("intervals").json());
  data.warmup_intervals = intervals_from_json(reader.at("warmup_intervals").json());
  data.drain = read_drain(reader.at("drain"));
  data.in_flight_integral = reader.at("in_flight_integral").real();
  data.in_window_time = reader.at("in_window_time").real();
  data.stall_max = reader.at("stall_max").count();
  data.cpu_user = reader.at("cpu_user").count();
  data.cpu_system = reader.at("cpu_system").count();
  if (reader.has("partial")) data.partial = reader.at("partial").boolean();
  if (reader.has("open_loop")) read_open_loop(reader.at("open_loop"), data.open_loop.emplace());
  if (reader.has("looks")) data.looks = read_looks(reader.at("looks"));
  if (reader.has("buffers")) data.buffers = read_buffers(reader.at("buffers"));
  if (reader.has("clock")) data.clock = read_clock(reader.at("clock"));
  const JsonReader examples = reader.at("error_examples");
  const std::size_t size = examples.array_size(kMostExamples);
  for (std::size_t i = 0; i < size; ++i) data.error_examples.push_back(read_example(examples.element(i)));
  if (reader.has("stuck")) data.stuck = read_stuck(reader.at("stuck"));
  if (reader.has("verify")) data.verify = read_verify(reader.at("verify"));
  return data;
}

Json metrics_to_json(const PhaseMetrics& metrics) {
  Json json = Json::object();
  for (const auto& [name, value] : metrics.all()) {
    const bool whole = std::floor(value) == value && std::abs(value) < kExactInteger;
    json[name] = whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
  }
  return json;
}

PhaseMetrics metrics_from_json(const Json& json) {
  const JsonReader reader(json, "metrics");
  if (!json.is_object()) reader.fail("is not an object");
  if (json.size() > kMostMetrics) reader.fail("has too many names");
  PhaseMetrics metrics;
  for (const auto& [name, value] : json.items()) {
    const auto info = find_metric(name);
    if (!info || info->row->later)
      reader.fail(name.size() <= 64 ? "has the unknown name '" + name + "'" : "has an unknown name");
    metrics.set(info->name, JsonReader(value, "metrics." + name).real());
  }
  return metrics;
}

}  // namespace diskproof
