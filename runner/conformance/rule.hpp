// One rule of the engine contract as a value: its name, what it promises, and the check. A check runs in a child of its
// own with the engine loaded there, and ends by returning or by throwing one of the three exceptions below.
#pragma once

#include <span>
#include <stdexcept>
#include <string>

namespace diskproof {

class Subject;

enum class RuleOutcome { pass, violation, not_applicable, cannot_run, not_run };

// The engine breaks the rule; the text says what was done, what came and what should have.
class Violation : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The rule says nothing about this engine, or nothing that could be seen here.
class NotApplicable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The engine does not work on this machine, so that nothing can be said of it.
class CannotRun : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ConformanceRule {
  const char* name;                // "reap.timeout"
  const char* promise;             // what the contract says, one sentence
  std::string (*check)(Subject&);  // returns a remark for the table, mostly empty
};

struct RuleVerdict {
  RuleOutcome outcome = RuleOutcome::not_run;
  std::string note;
};

// In the order in which they are checked: what everything else rests on comes first.
std::span<const ConformanceRule> conformance_rules();

// Their families, one file each.
std::span<const ConformanceRule> engine_rules();
std::span<const ConformanceRule> open_rules();
std::span<const ConformanceRule> submit_rules();
std::span<const ConformanceRule> reap_rules();
std::span<const ConformanceRule> cancel_rules();
std::span<const ConformanceRule> data_rules();
std::span<const ConformanceRule> placement_rules();
std::span<const ConformanceRule> error_rules();
std::span<const ConformanceRule> queue_rules();
std::span<const ConformanceRule> name_rules();
std::span<const ConformanceRule> manner_rules();

}  // namespace diskproof
