// The plan as JSON: nothing lost, nothing strange accepted.
#include "plan/plan_json.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "plan/outline.hpp"
#include "plan/planner.hpp"
#include "support/plan_samples.hpp"

namespace diskproof {
namespace {

using Json = nlohmann::ordered_json;

Plan sample_plan() {
  Job job = sample_job(DiskKind::directory);
  job.description = "a \"quoted\" text, \xc3\xa4";
  job.labels = {{"site", "north"}};
  job.timeout = std::chrono::minutes(5);
  job.phases[0].threads = 2;
  job.phases[0].engines = {{"lost", {}}, {"aio", {}}};
  job.phases[0].cpus = {2, 0};
  job.phases[0].seed = 0xFFFF'FFFF'FFFF'FFFF;
  job.phases[0].limits = {{"", {{"read.iops", 0.1}}}, {"vm", {{"total.bandwidth", 1.25e9}}}};
  job.phases[0].thresholds = {{"read.latency.p99 <= 5ms for 90% of intervals", true}};
  job.phases[0].findings = {{"on_tmpfs", Severity::warn}, {"capped", Severity::ignore}};
  Diagnostics diagnostics;
  return make_plan(job, sample_request(), SampleMachine{}.view(), diagnostics);
}

TEST_CASE("plan json: a round trip loses nothing") {
  const Json json = plan_to_json(sample_plan());
  const Plan back = plan_from_text(json.dump());
  CHECK(plan_to_json(back) == json);
  CHECK(back.phases[1].seed == 0xFFFF'FFFF'FFFF'FFFF);
  CHECK(back.phases[1].limits[0].values.at("read.iops") == 0.1);
  CHECK(back.phases[1].thresholds[0].warn);
  CHECK(back.phases[1].cpus == std::vector<std::uint32_t>{2, 0});
  CHECK(back.phases[1].findings.at("capped") == Severity::ignore);
  CHECK(back.phases[1].engine.passed_over[0].name == "lost");
  CHECK(back.disks[0].files.size() == 2);
}

TEST_CASE("plan json: an outline can be recorded and read, not executed") {
  const Json json = plan_to_json(outline_plan(sample_job(), sample_request()));
  CHECK(plan_to_json(plan_from_json(json, PlanUse::record)) == json);
  CHECK_THROWS_AS(plan_from_json(json), Error);
}

// Every field matters: without it, or with a value of another type, the plan is refused by the field's path.
TEST_CASE("plan json: each missing or mistyped field of a phase is named") {
  const Json json = plan_to_json(sample_plan());
  for (const auto& [key, value] : json["phases"][1].items()) {
    CAPTURE(key);
    for (const bool missing : {true, false}) {
      CAPTURE(missing);
      Json broken = json;
      if (missing) {
        broken["phases"][1].erase(key);
      } else {
        broken["phases"][1][key] = nullptr;
      }
      std::string text;
      try {
        plan_from_json(broken);
      } catch (const Error& error) {
        text = error.what();
      }
      CHECK(text.find("phases[1]." + key) != std::string::npos);
    }
  }
}

TEST_CASE("plan json: hostile text throws Error and nothing else") {
  struct Row {
    const char* name;
    std::string text;
  };
  for (const Row& row : {Row{"empty", ""},
                         {"not JSON", "{\"job_file\": "},
                         {"another kind", "[1, 2]"},
                         {"null", "null"},
                         {"deep", std::string(100'000, '[')},
                         {"deep and closed", std::string(100'000, '[') + std::string(100'000, ']')},
                         {"bytes", std::string("\x00\xff\xfe", 3)}}) {
    CAPTURE(row.name);
    CHECK_THROWS_AS(plan_from_text(row.text), Error);
  }
}

TEST_CASE("plan json: values that would crash a worker are refused") {
  struct Row {
    const char* key;
    Json value;
  };
  for (const Row& row : {Row{"block_size", 0},
                         {"block_size", -4096},
                         {"block_size", 4096.5},
                         {"block_size", std::uint64_t{1} << 40},
                         {"threads", 0},
                         {"threads", std::uint64_t{1} << 32},
                         {"queue_depth", 0},
                         {"queue_depth", 1'000'000},
                         {"batch", 5},
                         {"rate", -1},
                         {"rate", 0.0001},
                         {"rate", 1e300},
                         {"rate", nullptr},
                         {"rate", "5"},
                         {"interval_grid", 0},
                         {"timeout", 0},
                         {"region_size", std::uint64_t{1} << 50},
                         {"region_from", 0xFFFF'FFFF'FFFF'FFFF},
                         {"targets", Json::array()},
                         {"access", "sideways"},
                         {"needs", Json::array({"later"})},
                         {"disk", "unknown"},
                         {"latency_bounds", Json::array({5, 1})},
                         {"operations", Json{{"read", 1e300}, {"write", 0}, {"trim", 0}}},
                         {"extra", 1}}) {
    CAPTURE(row.key);
    CAPTURE(row.value.dump());
    Json broken = plan_to_json(sample_plan());
    broken["phases"][1][row.key] = row.value;
    CHECK_THROWS_AS(plan_from_json(broken), Error);
  }
}

}  // namespace
}  // namespace diskproof
