// What parent and child tell each other about a rule.
#include "conformance/order.hpp"

#include <doctest/doctest.h>

#include "support/error.hpp"

using namespace diskproof;

TEST_CASE("rule order: what is sent is what arrives") {
  const RuleOrder order{
      "/e/diskproof_engine_x.so", "submit.once", "/tmp/\"x\"", {{"a", "1"}, {"b", ""}}, 5'000'000'000};
  const RuleOrder same = parse_order(order_text(order));
  CHECK(same.library == order.library);
  CHECK(same.rule == order.rule);
  CHECK(same.folder == order.folder);
  CHECK(same.options == order.options);
  CHECK(same.patience == order.patience);
}

TEST_CASE("rule verdict: every outcome and any note survive the way") {
  for (const RuleOutcome outcome : {RuleOutcome::pass, RuleOutcome::violation, RuleOutcome::not_applicable,
                                    RuleOutcome::cannot_run, RuleOutcome::not_run}) {
    CAPTURE(std::string(outcome_name(outcome)));
    const RuleVerdict verdict = parse_verdict(verdict_text({outcome, "line\nline \x01"}));
    CHECK(verdict.outcome == outcome);
    CHECK(verdict.note == "line\nline \x01");
  }
  CHECK(parse_verdict(verdict_text({RuleOutcome::pass, "broken \xff"})).note == "broken \xEF\xBF\xBD");
}

TEST_CASE("rule frames: nonsense is refused by name") {
  for (const std::string text : {"", "{", "[]", "{}", R"({"outcome": "fine", "note": ""})", R"({"outcome": 1})"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_order(text), Error);
    CHECK_THROWS_AS(parse_verdict(text), Error);
  }
}
