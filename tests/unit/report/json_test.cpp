// result.json: strict when read, valid whatever the model holds, and its schema as strict as its reader.
#include <cstring>
#include <doctest/doctest.h>
#include <fstream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "metrics/names.hpp"
#include "report/json_reader.hpp"
#include "report/json_text.hpp"
#include "report/json_writer.hpp"
#include "support/error.hpp"
#include "unit/report/external_check.hpp"
#include "unit/report/fixtures.hpp"

namespace diskproof::testing {
namespace {

using Json = nlohmann::ordered_json;

const std::filesystem::path kSchema = std::filesystem::path(DISKPROOF_SOURCE_DIR) / "schemas" / "result.schema.json";

std::string error_of(const std::string& text) {
  try {
    from_result_json(text, "old.json");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::failed);
    return error.what();
  }
  return "";
}

Json valid_result() { return Json::parse(to_result_json(fixture("fail.exit1"))); }

// Wrong in one place each: both the reader and the schema must refuse it.
struct Wrong {
  const char *name, *pointer;
  Json value;  // discarded: remove what is there
  const char* message;
};

const std::vector<Wrong>& wrongs() {
  static const Json removed(Json::value_t::discarded);
  static const std::vector<Wrong> all{
      {"other schema version", "/schema_version", 2, "schema_version is 2; this version of diskproof reads 1"},
      {"missing field", "/phases/1/runs", removed, "phases[1].runs is missing"},
      {"unknown field", "/phases/0/extra", 1, "phases[0].extra is not a field of a result"},
      {"unknown field at the top", "/extra", 1, "extra is not a field of a result"},
      {"text for a number", "/seconds", "9", "seconds is not a finite number"},
      {"number for text", "/reason", 1, "reason is not text"},
      {"unknown outcome", "/phases/2/outcome", "good", "phases[2].outcome is none of the known words"},
      {"unknown severity", "/phases/1/thresholds/0/severity", "info", "phases[1].thresholds[0].severity is neither"},
      {"unknown finding level", "/phases/1/findings/0/level", "info", "phases[1].findings[0].level is none"},
      {"fraction for a count", "/host/cpus", 1.5, "host.cpus is not a whole number in range"},
      {"negative count", "/host/memory", -1, "host.memory is not a whole number in range"},
      {"null", "/host", nullptr, "host is not an object"},
      {"object for a list", "/phases", Json::object(), "phases is not an array"},
      {"unknown metric", "/phases/1/metrics/write.speed", 1, "unknown name"},
      {"metric without a number", "/phases/1/metrics/write.iops", nullptr, "is not a number"},
      {"histograms without the rest", "/phases/1/measured", removed, "phases[1].histograms is not a field"},
      {"the rest without histograms", "/phases/1/histograms", removed, "phases[1].histograms is missing"},
      {"plan without phases", "/plan/phases", removed, "phases is missing"},
      {"no tool version", "/tool/version", removed, "tool.version is missing"},
      {"tool is no object", "/tool", "diskproof", "tool.version is missing"},
  };
  return all;
}

Json with(const Wrong& wrong) {
  Json json = valid_result();
  const Json::json_pointer pointer(wrong.pointer);
  if (wrong.value.is_discarded()) {
    json.at(pointer.parent_pointer()).erase(pointer.back());
  } else {
    json[pointer] = wrong.value;
  }
  return json;
}

TEST_CASE("json: a result that says something else than it should is refused - naming the field") {
  CHECK(error_of(valid_result().dump()) == "");
  for (const Wrong& wrong : wrongs()) {
    CAPTURE(std::string(wrong.name));
    const std::string message = error_of(with(wrong).dump());
    CAPTURE(message);
    CHECK(message.starts_with("old.json is not a result of this diskproof: "));
    CHECK(message.find(wrong.message) != std::string::npos);
  }
}

TEST_CASE("json: the schema refuses what the reader refuses") {
  std::vector<std::unique_ptr<TemporaryFile>> files;
  std::vector<std::filesystem::path> paths;
  for (const Wrong& wrong : wrongs()) {
    files.push_back(std::make_unique<TemporaryFile>("result.json", with(wrong).dump()));
    paths.push_back(files.back()->path());
  }
  const TemporaryFile valid("result.json", valid_result().dump());
  paths.push_back(valid.path());
  const auto checks = check_json(paths, kSchema);
  if (!checks.back().available) {
    MESSAGE("skipped: jsonschema is not installed (package python3-jsonschema)");
    return;
  }
  CHECK(checks.back().valid);
  for (std::size_t i = 0; i < wrongs().size(); ++i) {
    CAPTURE(std::string(wrongs()[i].name));
    CHECK(!checks[i].valid);
  }
}

TEST_CASE("json: text that is not JSON is refused") {
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[1e400]"), std::string("\xFF"), std::string("nul\0l", 5)}) {
    CAPTURE(text);
    CHECK(error_of(text) == "old.json is not a result of diskproof: it is not JSON");
  }
  CHECK(error_of("[]").find("it is not an object") != std::string::npos);
  CHECK(error_of(std::string(100'000, '[') + std::string(100'000, ']')).find("it is not an object") !=
        std::string::npos);
}

TEST_CASE("json: every truncation of a result is refused") {
  const std::string text = to_result_json(fixture("killed.exit2"));
  for (std::size_t length = 0; length + 2 < text.size(); length += 37) {
    CAPTURE(length);
    CHECK(error_of(text.substr(0, length)) != "");
  }
}

TEST_CASE("json: unmeasured and unfinished numbers are absent - never zero or null") {
  RunReport report = fixture("pass.exit0");
  ThresholdResult& result = report.phases[1].thresholds[0];
  result.observed = std::numeric_limits<double>::quiet_NaN();
  result.bound.reset();
  report.host.memory = 0;
  const Json json = Json::parse(to_result_json(report));
  CHECK(!json["phases"][1]["thresholds"][0].contains("observed"));
  CHECK(!json["phases"][1]["thresholds"][0].contains("bound"));
  CHECK(!json["host"].contains("memory"));
  CHECK(to_result_json(report).find("null") == std::string::npos);
}

TEST_CASE("json: what a phase did not measure is not there") {
  const Json json = Json::parse(to_result_json(fixture("killed.exit2")));
  CHECK(json["phases"][0].contains("histograms"));
  for (const char* name : {"histograms", "intervals", "warmup_intervals", "measured", "stuck"}) {
    CAPTURE(std::string(name));
    CHECK(!json["phases"][1].contains(name));
  }
  CHECK(json["phases"][1]["runs"].empty());
  CHECK(json["phases"][1]["metrics"].empty());
}

TEST_CASE("json: the model comes back as it was - beyond what the reports show") {
  const RunReport& before = fixture("stuck.exit2");
  const RunReport after = from_result_json(to_result_json(before), "result.json");
  CHECK(after.job_text == before.job_text);
  CHECK(after.plan.phases[1].limits[0].values == before.plan.phases[1].limits[0].values);
  CHECK(after.phases[0].data->directions[1].latency.percentile(50'000'000) ==
        before.phases[0].data->directions[1].latency.percentile(50'000'000));
  CHECK(after.phases[0].data->drain.operations == before.phases[0].data->drain.operations);
  CHECK(after.phases[0].runs[0].intervals.size() == 3);
  CHECK(after.phases[1].data == nullptr);
  CHECK(after.phases[1].stuck->age == before.phases[1].stuck->age);
  CHECK(after.phases[1].io_errors[0].direction == Direction::write);
}

TEST_CASE("json: an open loop comes back as it was - and is valid by the schema") {
  RunReport before = fixture("pass.exit0");
  before.plan.phases[1].rate = 2950.5;
  auto data = std::make_shared<RunData>(*before.phases[1].data);
  OpenLoopTotals& open_loop = data->open_loop.emplace();
  open_loop.rate = 2950.5;
  open_loop.issued = 8850;
  open_loop.unissued = 2;
  open_loop.service_latency[1].record(300'000);
  open_loop.lateness.record(90);
  before.phases[1].data = data;
  before.phases[1].metrics.set("rate.achieved", 0.999);
  before.phases[1].metrics.set("write.service_latency.p99.95", 300'000);
  const std::string text = to_result_json(before);
  const RunReport after = from_result_json(text, "result.json");
  CHECK(to_result_json(after) == text);
  CHECK(after.plan.phases[1].rate == 2950.5);
  REQUIRE(after.phases[1].data->open_loop);
  CHECK(after.phases[1].data->open_loop->unissued == 2);
  CHECK(after.phases[1].data->open_loop->service_latency[1].max() == 300'000);
  const TemporaryFile file("result.json", text);
  const auto checks = check_json({file.path()}, kSchema);
  if (checks.back().available) CHECK(checks.back().valid);
}

TEST_CASE("json: the schema knows exactly the metric names of the table") {
  std::ifstream file(kSchema);
  const Json schema = Json::parse(file);
  const auto names =
      schema["definitions"]["metrics"]["propertyNames"]["anyOf"][0]["enum"].get<std::vector<std::string>>();
  CHECK(names == metric_names());
}

TEST_CASE("json: no character of a text can command a terminal") {
  const std::string text =
      "\x1b[31m \x7f \xC2\x9B"
      "2J \xC2\xA0 \xC3\xBC";
  const std::string json = compact_json(Json{{"key " + text, text}});
  CHECK(json == R"({"key \u001b[31m \u007f \u009b2J   ü":"\u001b[31m \u007f \u009b2J   ü"})");
  CHECK(Json::parse(json).at("key " + text) == text);
}

TEST_CASE("json: both layouts hold the same value - broken UTF-8 is repaired") {
  const Json json = {
      {"a", {1, 2.5, nullptr, "x\xFF\n</script>"}}, {"b", Json::object()}, {"c", {{"d", Json::array()}, {"e", true}}}};
  Json repaired = json;
  repaired["a"][3] = "x\xEF\xBF\xBD\n</script>";
  CHECK(Json::parse(pretty_json(json)) == repaired);
  CHECK(Json::parse(compact_json(json)) == repaired);
  CHECK(compact_json(json).find('\n') == std::string::npos);
  CHECK(pretty_json({{"list", {1, 2}}, {"map", {{"k", 1}}}}) ==
        "{\n  \"list\": [1, 2],\n  \"map\": {\n    \"k\": 1\n  }\n}\n");
}

}  // namespace
}  // namespace diskproof::testing
