// There and back without loss, and whatever a broken child may send.
#include "metrics/run_data_json.hpp"

#include <doctest/doctest.h>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/error.hpp"
#include "unit/metrics/run_data_samples.hpp"

namespace diskproof {
namespace {

using Json = nlohmann::ordered_json;
using test::Burst;
using test::kRead;
using test::kSync;
using test::kWrite;

// Every field has a value of its own.
std::unique_ptr<RunData> rich_run() {
  auto data = test::run_of({{Burst{kRead, 100, 10}, Burst{kWrite, 3, 5'000'000, 8192, 1}},
                            {},
                            {Burst{kRead, 7, ~std::uint64_t{0} / 16}, Burst{kSync, 1, 99, 0}}},
                           test::kSecond / 3);
  data->window_begin = 17;
  data->window_end = 4'000'000'000;
  Interval warm;
  warm.index = -2;
  warm.duration = 250;
  warm.full = false;
  warm.directions[kWrite].errors = 4;
  data->warmup_intervals = {warm};
  data->drain = {.operations = 3, .latency_max = 99, .direction_latency_max = {1, 99, 0, 2}, .finished = false};
  data->in_flight_integral = 12345.678;
  data->in_window_time = 1.0 / 3;
  data->stall_max = ~std::uint64_t{0};
  data->cpu_user = 5;
  data->cpu_system = 6;
  data->partial = true;
  data->buffers = BufferFacts{1 << 20, "transparent_huge"};
  data->clock = ClockFacts{"cycles", 2'400'000'000, 0.25, -3.5};
  OpenLoopTotals& open_loop = data->open_loop.emplace();
  open_loop.rate = 1.0 / 3;
  open_loop.issued = 111;
  open_loop.unissued = 7;
  open_loop.service_latency[kRead].record(8);
  open_loop.service_latency[kSync].record(~std::uint64_t{0});
  open_loop.lateness.record(0);
  open_loop.lateness.record(3000);
  data->looks = RoundLooks{11, 22, 33, 30};
  data->error_examples = {{Direction::write, 1ull << 40, 8192, -5, 5, "EIO: \"Input\"/output error"}};
  data->stuck = StuckIo{1, 2, 3, 4};
  return data;
}

std::string dump(const RunData& data) { return run_data_to_json(data).dump(); }

TEST_CASE("run data json: every field comes back, also through text") {
  const auto data = rich_run();
  const std::string text = dump(*data);
  const RunData back = run_data_from_json(Json::parse(text));
  CHECK(dump(back) == text);
  CHECK(back.window_begin == 17);
  CHECK(back.interval_grid == test::kSecond);
  CHECK(back.directions[kRead].latency.percentile(50'000'000) == 10);
  CHECK(back.directions[kRead].latency.sum() == data->directions[kRead].latency.sum());
  CHECK(back.directions[kWrite].error_latency_sum == 5'000'000);
  REQUIRE(back.intervals.size() == 3);
  CHECK(back.intervals[0].directions[kWrite].above == std::vector<std::uint64_t>{3});
  CHECK(back.intervals[0].directions[kWrite].p99 == data->intervals[0].directions[kWrite].p99);
  REQUIRE(back.intervals[0].total);
  CHECK(back.intervals[0].total->p50 == 10);
  CHECK_FALSE(back.intervals[1].directions[kRead].p50);
  CHECK_FALSE(back.intervals[2].full);
  REQUIRE(back.warmup_intervals.size() == 1);
  CHECK(back.warmup_intervals[0].index == -2);
  CHECK(back.warmup_intervals[0].directions[kWrite].errors == 4);
  CHECK(back.drain.direction_latency_max[1] == 99);
  CHECK_FALSE(back.drain.finished);
  CHECK(back.partial);
  CHECK(back.buffers->pages == "transparent_huge");
  CHECK(back.clock->ticks_per_second == 2'400'000'000);
  CHECK(back.clock->drift == -3.5);
  CHECK(back.in_flight_integral == data->in_flight_integral);
  CHECK(back.in_window_time == data->in_window_time);
  CHECK(back.stall_max == ~std::uint64_t{0});
  REQUIRE(back.looks);
  CHECK(back.looks->own == 11);
  CHECK(back.looks->whole == 22);
  CHECK(back.looks->batches == 33);
  CHECK(back.looks->batches_seen_whole == 30);
  REQUIRE(back.open_loop);
  CHECK(back.open_loop->rate == data->open_loop->rate);
  CHECK(back.open_loop->issued == 111);
  CHECK(back.open_loop->unissued == 7);
  CHECK(back.open_loop->service_latency[kRead].max() == 8);
  CHECK(back.open_loop->service_latency[kWrite].count() == 0);
  CHECK(back.open_loop->service_latency[kSync].sum() == ~std::uint64_t{0});
  CHECK(back.open_loop->lateness.count() == 2);
  CHECK(back.open_loop->lateness.max() == 3000);
  REQUIRE(back.error_examples.size() == 1);
  CHECK(back.error_examples[0].code == -5);
  CHECK(back.error_examples[0].text == data->error_examples[0].text);
  REQUIRE(back.stuck);
  CHECK(back.stuck->age == 4);
}

TEST_CASE("run data json: an empty run comes back empty") {
  const std::string text = dump(RunData{});
  const RunData back = run_data_from_json(Json::parse(text));
  CHECK(dump(back) == text);
  CHECK_FALSE(back.stuck);
  CHECK_FALSE(back.open_loop);
  CHECK(back.intervals.empty());
}

TEST_CASE("run data json: metrics computed on both sides are the same") {
  const auto data = rich_run();
  const RunData back = run_data_from_json(run_data_to_json(*data));
  CHECK(metrics_to_json(compute_metrics(*data, {})) == metrics_to_json(compute_metrics(back, {})));
}

TEST_CASE("run data json: unlikely but well-formed numbers are left to the books") {
  auto data = rich_run();
  data->directions[kRead].operations += 5;
  const RunData back = run_data_from_json(run_data_to_json(*data));
  CHECK(back.directions[kRead].operations == data->directions[kRead].operations);
}

// Calls `visit` with every node of the tree, deepest first, as a pointer that may be changed and put back.
void for_each_node(Json& json, const std::function<void(Json&)>& visit) {
  if (json.is_structured()) {
    for (auto& child : json) for_each_node(child, visit);
  }
  visit(json);
}

// Reads it; anything but success and Error fails the test by itself.
bool reads(const Json& json) {
  try {
    static_cast<void>(compute_metrics(run_data_from_json(json), {}));
    return true;
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::failed);
    CHECK(std::string(error.what()).find("malformed") != std::string::npos);
    return false;
  }
}

TEST_CASE("run data json: any node replaced by anything else throws Error or reads") {
  Json json = run_data_to_json(*rich_run());
  const std::vector<Json> poisons{Json(),
                                  Json(-1),
                                  Json(0),
                                  Json(~std::uint64_t{0}),
                                  Json(1e300),
                                  Json(0.5),
                                  Json("text"),
                                  Json::array(),
                                  Json::object(),
                                  Json(true),
                                  Json::array({1}),
                                  Json::array({5, 0}),
                                  Json::object({{"index", 1}})};
  std::size_t refused = 0;
  std::size_t tried = 0;
  for_each_node(json, [&](Json& node) {
    const Json kept = node;
    for (const Json& poison : poisons) {
      if (poison == kept) continue;
      node = poison;
      ++tried;
      refused += reads(json) ? 0 : 1;
    }
    node = kept;
  });
  CHECK(tried > 1000);
  CHECK(refused > tried / 2);
  CHECK(reads(json));
}

TEST_CASE("run data json: any missing field or element throws Error or reads") {
  Json json = run_data_to_json(*rich_run());
  for_each_node(json, [&](Json& node) {
    if (!node.is_structured()) return;
    const Json kept = node;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      node.erase(std::next(node.begin(), static_cast<std::ptrdiff_t>(i)));
      static_cast<void>(reads(json));
      node = kept;
    }
  });
  CHECK(reads(json));
}

TEST_CASE("run data json: what is malformed is refused and the field named") {
  struct Row {
    std::string name;
    std::function<void(Json&)> spoil;
    const char* field;
  };
  for (const Row& row :
       {Row{"no window", [](Json& j) { j.erase("window_end"); }, "run has no 'window_end'"},
        {"slot out of range", [](Json& j) { j["directions"]["read"]["latency"]["slots"][0][0] = 99999; },
         "latency.slots[0]"},
        {"slots not ascending", [](Json& j) { j["directions"]["read"]["latency"]["slots"][1][0] = 1; },
         "does not ascend"},
        {"counts overflow", [](Json& j) { j["directions"]["read"]["latency"]["slots"][1][1] = ~std::uint64_t{0}; },
         "impossible count"},
        {"a zero count", [](Json& j) { j["directions"]["read"]["latency"]["slots"][0][1] = 0; }, "impossible count"},
        {"minimum elsewhere", [](Json& j) { j["directions"]["read"]["latency"]["min"] = 500; }, "latency.min"},
        {"maximum elsewhere", [](Json& j) { j["directions"]["read"]["latency"]["max"] = 500; }, "latency.max"},
        {"a column too short", [](Json& j) { j["intervals"]["read"]["bytes"].erase(0); }, "intervals.read.bytes"},
        {"rows not ascending", [](Json& j) { j["intervals"]["index"][1] = 0; }, "intervals.index"},
        {"a full row without time", [](Json& j) { j["intervals"]["duration"][0] = 0; }, "intervals.duration[0]"},
        {"a negative count", [](Json& j) { j["drain"]["operations"] = -1; }, "run.drain.operations"},
        {"a fraction", [](Json& j) { j["cpu_user"] = 1.5; }, "run.cpu_user"},
        {"length beyond 32 bits", [](Json& j) { j["error_examples"][0]["length"] = 1ull << 32; },
         "error_examples[0].length"},
        {"an unknown direction", [](Json& j) { j["error_examples"][0]["direction"] = "erase"; }, "direction"},
        {"text without end", [](Json& j) { j["error_examples"][0]["text"] = std::string(100'000, 'x'); },
         "longer than"},
        {"a rate of nothing", [](Json& j) { j["open_loop"]["rate"] = 0; }, "run.open_loop.rate is not above 0"},
        {"no lateness", [](Json& j) { j["open_loop"].erase("lateness"); }, "run.open_loop has no 'lateness'"},
        {"service latency of no direction", [](Json& j) { j["open_loop"]["service_latency"] = 5; },
         "open_loop.service_latency is not an object"},
        {"a service slot out of range",
         [](Json& j) { j["open_loop"]["service_latency"]["read"]["slots"][0][0] = 99999; },
         "open_loop.service_latency.read.slots[0]"},
        {"an open loop of nothing", [](Json& j) { j["open_loop"] = nullptr; }, "open_loop"},
        {"pages of nothing",
         [](Json& j) {
           j["buffers"] = Json{{"bytes", 1}};
         },
         "run.buffers has no 'pages'"},
        {"drift in words", [](Json& j) { j["clock"]["drift"] = "none"; }, "run.clock.drift"},
        {"partly partial", [](Json& j) { j["partial"] = 1; }, "run.partial"},
        {"not a number", [](Json& j) { j["in_window_time"] = nullptr; }, "in_window_time"}}) {
    CAPTURE(row.name);
    Json json = run_data_to_json(*rich_run());
    row.spoil(json);
    try {
      static_cast<void>(run_data_from_json(json));
      FAIL_CHECK("was read");
    } catch (const Error& error) {
      CHECK(std::string(error.what()).find(row.field) != std::string::npos);
    }
  }
}

TEST_CASE("metrics json: values come back in order and whole numbers are integers") {
  PhaseMetrics metrics;
  metrics.set("read.operations", 1000);
  metrics.set("read.iops", 333.25);
  metrics.set("read.latency.p99.95", 5);
  const Json json = metrics_to_json(metrics);
  CHECK(json.dump() == R"({"read.operations":1000,"read.iops":333.25,"read.latency.p99.95":5})");
  CHECK(metrics_from_json(Json::parse(json.dump())).all() == metrics.all());
}

TEST_CASE("metrics json: unknown names and values that are not numbers are refused") {
  for (const std::string text : {"[]", "null", "3", R"({"read.speed":1})", R"({"device.utilization":1})",
                                 R"({"read.iops":"1"})", R"({"read.iops":null})", R"({"read.iops":[1]})"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(metrics_from_json(Json::parse(text)), Error);
  }
}

}  // namespace
}  // namespace diskproof
