// EngineInfo: made from a loaded engine, carried as JSON without loss, read without trust.
#include "engine/engine_info.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "bench.hpp"
#include "support/error.hpp"

using namespace diskproof;
using namespace diskproof::testing;

TEST_CASE("engine info: describes a built engine") {
  const ManualHost host;
  const EngineInfo info = describe(Library::load(built_engine("sim"), host.table()));
  CHECK(info.name == "sim");
  CHECK(info.available);
  CHECK(info.path == built_engine("sim").string());
  CHECK(info.can(DP_CAP_NO_TARGET));
  CHECK_FALSE(info.can(DP_CAP_SYNC));
  CHECK(info.supports(DP_OP_WRITE_ZEROES));
  REQUIRE_FALSE(info.options.empty());
  CHECK(info.options[0].name == "service_time");
  CHECK(info.options[0].default_value == "100000");
}

TEST_CASE("engine info: JSON carries every field") {
  const ManualHost host;
  EngineInfo info = describe(Library::load(built_engine("sim"), host.table()));
  info.available = false;
  info.reason = "no \"ring\" here";
  info.wait_granularity_ns = 4000000;
  info.options[0].secret = true;
  info.options[0].min = -3;
  info.options[0].scope = DP_SCOPE_QUEUE;
  const auto json = engine_info_to_json(info);
  const EngineInfo back = engine_info_from_json(json);
  CHECK(engine_info_to_json(back).dump() == json.dump());
  CHECK(back.reason == info.reason);
  CHECK(back.wait_granularity_ns == 4000000);
  CHECK(back.options.at(0).secret);
  CHECK(back.options.at(0).min == -3);
  CHECK(back.options.at(0).scope == DP_SCOPE_QUEUE);
  CHECK(back.options.size() == info.options.size());
}

TEST_CASE("engine info: hostile JSON is refused with the field's name") {
  const ManualHost host;
  const auto good = engine_info_to_json(describe(Library::load(built_engine("sim"), host.table())));
  struct Row {
    const char* name;
    const char* patch;  // merged over a good description
    const char* expected;
  };
  for (const Row& row : {Row{"missing", R"({"version": null})", "version"}, Row{"type", R"({"name": 4})", "name"},
                         Row{"options", R"({"options": "x"})", "options"}, Row{"row", R"({"options": [3]})", "name"},
                         Row{"flag", R"({"available": "yes"})", "available"}}) {
    CAPTURE(row.name);
    auto json = good;
    json.merge_patch(nlohmann::ordered_json::parse(row.patch));
    CHECK_THROWS_WITH_AS(engine_info_from_json(json), doctest::Contains(row.expected), Error);
  }
  auto json = good;
  json["options"][0]["type"] = 99;
  CHECK_THROWS_WITH_AS(engine_info_from_json(json), doctest::Contains("type is 99"), Error);
  CHECK_THROWS_AS(engine_info_from_json(nlohmann::ordered_json::array()), Error);
}
