// What passes between the verifying parent and the child that checks one rule.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "conformance/rule.hpp"

namespace diskproof {

struct RuleOrder {
  std::string library;                         // absolute path
  std::string rule;                            // its name
  std::string folder;                          // empty, for this rule alone
  std::map<std::string, std::string> options;  // canonical, those that were given
  std::uint64_t patience = 0;                  // ns that one I/O may take
  std::string url{};                           // of a folder to try targets in; empty: in `folder`
  std::string url_folder{};                    // the rules' own, below it; comes and goes
};

const char* outcome_name(RuleOutcome outcome) noexcept;

std::string order_text(const RuleOrder& order);
std::string verdict_text(const RuleVerdict& verdict);

// All of these throw Error{failed} on anything malformed.
RuleOrder parse_order(const std::string& text);
RuleVerdict parse_verdict(const std::string& text);

}  // namespace diskproof
