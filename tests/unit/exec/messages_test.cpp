// Payloads there and back, and what is not one.
#include "exec/messages.hpp"

#include <doctest/doctest.h>
#include <functional>
#include <string>

#include "exec/protocol.hpp"
#include "sim_plan.hpp"

using namespace diskproof;

TEST_CASE("messages: values survive the way through text") {
  CHECK(parse_go(go_text(~std::uint64_t{0})) == ~std::uint64_t{0});
  CHECK(parse_hello(hello_text()) == build_id());
  const ProbeRequest plain = parse_probe(probe_text({.library = "/a b/\"c\".so", .trial = {}}));
  CHECK(plain.library == "/a b/\"c\".so");
  CHECK_FALSE(plain.trial);
  const EngineTrial trial{.options = {{"a", "1"}}, .target = "d", .size = 1 << 20, .depth = 4, .max_length = 4096};
  CHECK(parse_probe(probe_text({.library = "/x", .trial = trial})).trial == trial);
  CHECK(parse_call(call_text("reap")) == "reap");
  CHECK(parse_error(error_text(Error(ErrorKind::bad_job, "x"))).kind() == ErrorKind::bad_job);
  const StuckIo stuck = parse_stuck(stuck_text({3, 7, std::uint64_t{1} << 60, 42}));
  CHECK(stuck.worker == 3);
  CHECK(stuck.tag == 7);
  CHECK(stuck.offset == std::uint64_t{1} << 60);
  CHECK(stuck.age == 42);
  for (const auto stage : {PhaseTick::Stage::warmup, PhaseTick::Stage::measure, PhaseTick::Stage::drain}) {
    const PhaseTick tick = parse_tick(tick_text({stage, 1.5, 10, 0.15, 1e6, 4e9}));
    CHECK(tick.stage == stage);
    CHECK(tick.elapsed == 1.5);
    CHECK(tick.total == 10);
    CHECK(tick.done == 0.15);
    CHECK(tick.iops == 1e6);
    CHECK(tick.bandwidth == 4e9);
  }
  for (const auto kind : {ErrorKind::failed, ErrorKind::unavailable, ErrorKind::refused}) {
    const Error error = parse_error(error_text(Error(kind, "what, on what, why\n\xff")));
    CHECK(error.kind() == kind);
    CHECK(std::string(error.what()).starts_with("what, on what, why\n"));
  }
  Interval row;
  row.index = 5;
  row.duration = 100;
  row.directions[1].operations = 3;
  const Interval back = parse_interval(interval_text(row));
  CHECK(back.index == 5);
  CHECK(back.directions[1].operations == 3);
}

TEST_CASE("messages: a plan's phase with its state folder and clock") {
  const Plan plan = testing::sim_plan({{"service_time", "5"}});
  const PhaseRequest request =
      parse_phase_request(phase_request_text(plan, 0, {.executable = "x", .state_dir = "/s", .clock = {11, 22}}));
  CHECK(request.phase == 0);
  CHECK(request.state_dir == "/s");
  CHECK(request.clock.cycles == 11);
  CHECK(request.clock.raw_ns == 22);
  CHECK(request.plan.phases.at(0).engine.options == plan.phases[0].engine.options);
  std::string no_such_phase = phase_request_text(plan, 0, {.executable = "x", .state_dir = ""});
  no_such_phase.replace(no_such_phase.find("\"phase\":0"), 9, "\"phase\":1");
  CHECK_THROWS_AS(parse_phase_request(no_such_phase), Error);
}

TEST_CASE("messages: anything malformed is an error, never more") {
  const std::function<void(const std::string&)> parsers[] = {
      [](const std::string& text) { parse_phase_request(text); }, [](const std::string& text) { parse_go(text); },
      [](const std::string& text) { parse_hello(text); },         [](const std::string& text) { parse_probe(text); },
      [](const std::string& text) { parse_tick(text); },          [](const std::string& text) { parse_stuck(text); },
      [](const std::string& text) { parse_error(text); },         [](const std::string& text) { parse_interval(text); },
  };
  const std::string deep(100'000, '[');
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("null"), std::string("[]"), std::string("{}"), std::string("42"),
        std::string("\xff\xfe"), deep,
        std::string(R"({"start": "now", "build": 1, "library": [], "worker": "x", "kind": 0})"),
        std::string(R"({"index": [0, 1], "duration": [1, 1], "full": [true, true]})")}) {
    const std::string shown = text.substr(0, 60);
    CAPTURE(shown);
    for (const auto& parse : parsers) CHECK_THROWS_AS(parse(text), Error);
  }
}
