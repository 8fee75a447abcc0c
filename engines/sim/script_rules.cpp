// One function per group of options; what they find is reported together.
#include "script_rules.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sim {
namespace {

using Name = std::string;

class Rules {
 public:
  explicit Rules(const dp::Options& options) : options_(options) {}

  [[nodiscard]] bool given(const Name& name) const { return options_.find(name) != nullptr; }
  [[nodiscard]] std::uint64_t number(const Name& name) const { return options_.number(name); }
  void refuse(std::string text) { faults_.push_back(std::move(text)); }

  // Each of them makes sense only with the others.
  void together(const Name& first, const Name& second) {
    if (given(first) && !given(second)) refuse(first + " needs " + second);
    if (given(second) && !given(first)) refuse(second + " needs " + first);
  }
  void needs(const Name& name, bool holds, const std::string& what) {
    if (given(name) && !holds) refuse(name + " needs " + what);
  }
  // The same of an option that always has a value: another one than `otherwise` wants something.
  void differing_needs(const Name& name, std::string_view otherwise, bool holds, const std::string& what) {
    if (given(name) && options_.text(name) != otherwise && !holds) refuse(name + " needs " + what);
  }
  // One of these names, with `tail` behind it, is given.
  template <class Names>
  [[nodiscard]] bool any(const Names& names, const Name& tail = "") const {
    return std::any_of(std::begin(names), std::end(names), [&](const Name& name) { return given(name + tail); });
  }
  void below(const Name& low, const Name& high) {
    if (given(low) && given(high) && number(low) >= number(high)) refuse(low + " is not below " + high);
  }

  void distribution();
  void noise_and_cache();
  void limits();
  void cliff();
  void faults();
  void report() const;

 private:
  const dp::Options& options_;
  std::vector<std::string> faults_;
};

void Rules::distribution() {
  const std::string kind(options_.text("distribution", "constant"));
  const auto belongs = [&](const Name& option, const std::string& to) {
    if (kind == to && !given(option)) refuse("distribution: " + to + " needs " + option);
    needs(option, kind == to, "distribution: " + to);
  };
  belongs("spread", "uniform");
  belongs("service_time_p99", "lognormal");
  belongs("slow_time", "bimodal");
  belongs("slow_one_in", "bimodal");
  const std::uint64_t time = options_.number("service_time", 100'000);
  if (number("spread") > time) refuse("spread is longer than service_time: times would be negative");
  if (given("service_time_p99") && (time == 0 || number("service_time_p99") < time))
    refuse("service_time_p99 is below service_time, which is the median, or that is 0");
}

void Rules::noise_and_cache() {
  needs("noise_memory", given("noise"), "noise");
  together("cache_hits", "cache_time");
}

const Name kLimited[] = {"read_iops",      "write_iops",      "total_iops",
                         "read_bandwidth", "write_bandwidth", "total_bandwidth"};

void Rules::limits() {
  for (const Name& limit : kLimited) {
    together(limit + "_burst", limit + "_credits");
    needs(limit + "_burst", given(limit), limit);
    below(limit, limit + "_burst");
  }
  differing_needs("credits_at_start", "100", any(kLimited, "_credits"),
                  "a limit with credits, as total_iops with total_iops_burst and total_iops_credits");
}

void Rules::cliff() {
  const bool has_limit = given("cliff_write_iops") || given("cliff_write_bandwidth");
  needs("cliff_after", has_limit, "cliff_write_iops or cliff_write_bandwidth");
  needs("cliff_write_iops", given("cliff_after"), "cliff_after");
  needs("cliff_write_bandwidth", given("cliff_after"), "cliff_after");
  below("cliff_write_iops", "write_iops");
  below("cliff_write_bandwidth", "write_bandwidth");
}

void Rules::faults() {
  together("error_offset", "error_length");
  const bool has_errors = given("error_every") || given("error_at") || given("error_offset");
  for (const auto& [name, otherwise] : {std::pair{"error_on", "any"}, {"error_code", "eio"}})
    differing_needs(name, otherwise, has_errors, "error_every, error_at or error_offset");
  differing_needs("tail_time", "100000000", given("tail_at") || given("tail_every"), "tail_at or tail_every");
  const bool something_waits = given("stuck_at") || given("parallelism") || given("cliff_after") || any(kLimited);
  differing_needs("ignore_cancel", "false", something_waits, "stuck_at, parallelism or a limit");
  if (options_.text("error_on") == "sync" && given("error_offset"))
    refuse("a sync has no offset, so error_on: sync fits no error_offset");
  const bool has_fault = options_.text("fault", "none") != "none";
  if (has_fault && !options_.flag("content")) refuse("fault needs content: true");
  together("fault_offset", "fault_length");
  for (const Name option : {"fault_every", "fault_at", "fault_offset"}) needs(option, has_fault, "fault");
}

void Rules::report() const {
  if (faults_.empty()) return;
  std::string text;
  for (const std::string& fault : faults_) text += (text.empty() ? "" : "; ") + fault;
  throw dp::EngineError(DP_EINVAL, text);
}

}  // namespace

void check_rules(const dp::Options& options) {
  Rules rules(options);
  rules.distribution();
  rules.noise_and_cache();
  rules.limits();
  rules.cliff();
  rules.faults();
  rules.report();
}

}  // namespace sim
