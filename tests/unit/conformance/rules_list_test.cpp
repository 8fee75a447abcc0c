// The list of rules as reports and the command line rely on it.
#include <algorithm>
#include <doctest/doctest.h>
#include <set>
#include <string>

#include "conformance/rule.hpp"

using namespace diskproof;

TEST_CASE("rules: each has a name of its own in its family, a promise and a check") {
  std::set<std::string> names;
  for (const ConformanceRule& rule : conformance_rules()) {
    const std::string name = rule.name;
    CAPTURE(name);
    CHECK(names.insert(name).second);
    CHECK(name.size() <= 20);  // the column of the table
    CHECK(std::count(name.begin(), name.end(), '.') == 1);
    CHECK(std::string(rule.promise).size() > 10);
    const bool has_check = rule.check != nullptr;
    CHECK(has_check);
  }
  REQUIRE(conformance_rules().size() > 30);
  CHECK(std::string(conformance_rules()[0].name) == "engine.handshake");  // what the verifier stops at
  CHECK(std::string(conformance_rules()[1].name) == "engine.probe");
}
