// The process that checks one rule: `diskproof --rule-child`.
#pragma once

namespace diskproof {

inline constexpr const char* kRuleChildRole = "--rule-child";

// Takes one order from the parent, answers with one verdict. Returns the exit code.
int conformance_child_main();

}  // namespace diskproof
