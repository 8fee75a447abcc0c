// The parent's side of a verification: one child per rule, so that an engine that crashes or hangs breaks that rule and
// no other. It never loads the engine itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "conformance/rule.hpp"

namespace diskproof {

struct VerifySettings {
  std::string executable;                        // absolute path of this program
  std::string library{};                         // absolute path of the engine
  std::map<std::string, std::string> options{};  // canonical
  std::string folder{};                          // exists; files of the rules come and go below it
  std::string url{};                             // targets are made below it instead; empty: none
  std::vector<std::string> only{};               // names of rules; empty: all
  std::uint64_t patience = 5'000'000'000;        // ns that one I/O may take
  std::uint64_t limit = 30'000'000'000;          // ns that one rule may take
};

struct RuleResult {
  std::string name, promise;
  RuleVerdict verdict;
  double seconds = 0;
  std::string log;  // what engine and child printed
};

struct Verification {
  std::vector<RuleResult> rules;  // as many as were asked for, whatever happened
  bool interrupted = false;

  [[nodiscard]] std::size_t count(RuleOutcome outcome) const;
};

// Checks the rules in order. `on_result` is called after each. Once an engine cannot be loaded or run, or breaks the
// handshake, the rest is not run. `stop` is polled at least every 100 ms.
Verification verify_engine(const VerifySettings& settings, const std::atomic<bool>& stop,
                           const std::function<void(const RuleResult&)>& on_result);

}  // namespace diskproof
