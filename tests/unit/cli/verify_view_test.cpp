// How a verification looks in JUnit.
#include "cli/verify_view.hpp"

#include <doctest/doctest.h>
#include <string>

using namespace diskproof;

TEST_CASE("verify view: what an interruption kept from running is an error in JUnit, never green") {
  for (const bool interrupted : {true, false}) {
    CAPTURE(interrupted);
    Verification verification;
    verification.interrupted = interrupted;
    verification.rules.resize(2);
    verification.rules[0].name = "engine.load";
    verification.rules[0].verdict = {RuleOutcome::pass, ""};
    verification.rules[1].name = "submit.once";
    verification.rules[1].verdict = {RuleOutcome::not_run, "not run"};
    const std::string text = verification_junit(verification, "acme");
    CHECK((text.find("type=\"Interrupted\"") != std::string::npos) == interrupted);
    CHECK((text.find("errors=\"1\"") != std::string::npos) == interrupted);
    CHECK((text.find("<skipped") != std::string::npos) == !interrupted);
  }
}
