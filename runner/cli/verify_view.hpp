// A verification as people and as JUnit readers see it.
#pragma once

#include <string>
#include <string_view>

#include "conformance/verifier.hpp"

namespace diskproof {

// One row, with its line end; a second one for the rule that is broken.
std::string rule_row(const RuleResult& rule);

// "34 rules: 30 pass, 4 not applicable"
std::string verification_summary(const Verification& verification);

// One suite, one case per rule.
std::string verification_junit(const Verification& verification, std::string_view engine);

}  // namespace diskproof
