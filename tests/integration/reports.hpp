// The reports of a run as a test asks them. A report that is not there or cannot be read fails the test.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "integration/bench.hpp"

namespace diskproof::testing {

using Json = nlohmann::json;

struct JunitEntry {
  std::string end;  // passed, failure, error, skipped
  std::string type, message, body;
};

// Suites in order, each with its cases by name.
struct Junit {
  std::vector<std::string> suites;
  std::map<std::string, std::map<std::string, JunitEntry>> cases;

  // Throws when there is none, with those that there are.
  [[nodiscard]] const JunitEntry& at(const std::string& suite, const std::string& name) const;
};

Junit read_junit(const Bench& bench);

class Result {
 public:
  explicit Result(const Bench& bench);

  [[nodiscard]] const Json& json() const noexcept { return json_; }
  [[nodiscard]] const Json& phase(const std::string& name) const;
  // What the result says of a phase, by metric name; throws when it was not measured.
  [[nodiscard]] double metric(const std::string& phase, const std::string& name) const;
  [[nodiscard]] bool has_metric(const std::string& phase, const std::string& name) const;
  [[nodiscard]] std::string outcome(const std::string& phase) const { return this->phase(phase).at("outcome"); }
  [[nodiscard]] std::string reason(const std::string& phase) const { return this->phase(phase).at("reason"); }

 private:
  Json json_;
};

std::uint64_t sum(const Json& column);

// Checks that the numbers of one direction agree wherever the result states them; returns the operations.
std::uint64_t check_books(const Json& phase, const std::string& direction, std::uint64_t block);

// Both reports against their schemas, by xmllint and python3-jsonschema; the first complaint, or empty. Prints which
// tool is missing, and goes on without.
std::string schema_complaint(const Bench& bench);

}  // namespace diskproof::testing
