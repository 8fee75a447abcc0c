// The option table: contradictions are refused with their names, and every option is documented.
#include "sim/options.hpp"

#include <doctest/doctest.h>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "sim/script.hpp"
#include "support/manual_host.hpp"

using namespace diskproof::testing;

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

sim::Script parse(const Pairs& pairs) {
  std::vector<dp_key_value> table;
  for (const auto& [key, value] : pairs) table.push_back({key.c_str(), value.c_str()});
  const ManualHost host;
  return sim::parse_script(dp::Host(&host.table()),
                           dp::Options(table.data(), static_cast<std::uint32_t>(table.size())));
}

// Empty: accepted.
std::string refusal(const Pairs& pairs) {
  try {
    parse(pairs);
    return "";
  } catch (const dp::EngineError& error) {
    CHECK(error.code() == DP_EINVAL);
    return error.what();
  }
}

}  // namespace

TEST_CASE("sim options: what contradicts itself is refused by name") {
  struct Row {
    std::string name;
    Pairs options;
    std::string text;
  };
  const Row rows[] = {
      {"spread alone", {{"spread", "5"}}, "spread needs distribution: uniform"},
      {"uniform without", {{"distribution", "uniform"}}, "distribution: uniform needs spread"},
      {"negative times",
       {{"distribution", "uniform"}, {"service_time", "10"}, {"spread", "11"}},
       "spread is longer than service_time"},
      {"lognormal without", {{"distribution", "lognormal"}}, "distribution: lognormal needs service_time_p99"},
      {"p99 below median",
       {{"distribution", "lognormal"}, {"service_time", "100"}, {"service_time_p99", "99"}},
       "service_time_p99 is below service_time"},
      {"median 0", {{"distribution", "lognormal"}, {"service_time", "0"}, {"service_time_p99", "99"}}, "or that is 0"},
      {"bimodal with half", {{"distribution", "bimodal"}, {"slow_time", "5"}}, "needs slow_one_in"},
      {"memory of nothing", {{"noise_memory", "5"}}, "noise_memory needs noise"},
      {"cache without time", {{"cache_hits", "5"}}, "cache_hits needs cache_time"},
      {"cache without hits", {{"cache_time", "5"}}, "cache_time needs cache_hits"},
      {"credits alone", {{"read_iops", "5"}, {"read_iops_credits", "5"}}, "read_iops_credits needs read_iops_burst"},
      {"burst without a rate",
       {{"total_bandwidth_burst", "5"}, {"total_bandwidth_credits", "5"}},
       "total_bandwidth_burst needs total_bandwidth"},
      {"burst below the rate",
       {{"write_iops", "500"}, {"write_iops_burst", "500"}, {"write_iops_credits", "5"}},
       "write_iops is not below write_iops_burst"},
      {"cliff without a drop", {{"cliff_after", "5"}}, "cliff_after needs cliff_write_iops or cliff_write_bandwidth"},
      {"drop without a cliff", {{"cliff_write_iops", "5"}}, "cliff_write_iops needs cliff_after"},
      {"cliff that goes up",
       {{"cliff_after", "5"}, {"cliff_write_iops", "50"}, {"write_iops", "40"}},
       "cliff_write_iops is not below write_iops"},
      {"half a range", {{"error_offset", "5"}}, "error_offset needs error_length"},
      {"a code of nothing", {{"error_code", "enospc"}}, "error_code needs error_every, error_at or error_offset"},
      {"a time of no tail", {{"tail_time", "5"}}, "tail_time needs tail_at or tail_every"},
      {"credits of no limit", {{"credits_at_start", "50"}}, "credits_at_start needs a limit with credits"},
      {"credits of a limit without", {{"total_iops", "5"}, {"credits_at_start", "50"}}, "needs a limit with credits"},
      {"nothing to cancel", {{"ignore_cancel", "true"}}, "ignore_cancel needs stuck_at, parallelism or a limit"},
      {"errors on nothing", {{"error_on", "read"}}, "error_on needs"},
      {"range of a sync", {{"error_on", "sync"}, {"error_offset", "0"}, {"error_length", "5"}}, "a sync has no offset"},
      {"a fault without content", {{"fault", "lost"}}, "fault needs content: true"},
      {"which of no fault", {{"content", "true"}, {"fault_every", "2"}}, "fault_every needs fault"},
      {"half a fault's range",
       {{"content", "true"}, {"fault", "lost"}, {"fault_length", "2"}},
       "fault_length needs fault_offset"},
      {"an unknown choice", {{"distribution", "pareto"}}, "option distribution arrived as 'pareto'"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const std::string text = refusal(row.options);
    CAPTURE(text);
    CHECK(text.find(row.text) != std::string::npos);
  }
}

TEST_CASE("sim options: all contradictions are told at once") {
  const std::string text = refusal({{"spread", "5"}, {"cache_time", "5"}});
  CHECK(text == "spread needs distribution: uniform; cache_time needs cache_hits");
}

TEST_CASE("sim options: a lognormal p99 becomes the sigma that gives it") {
  CHECK(parse({{"distribution", "lognormal"}, {"service_time", "100000"}, {"service_time_p99", "320007"}})
            .service.sigma == doctest::Approx(0.5).epsilon(1e-5));  // 100 us * e^(0.5 * 2.3263)
}

TEST_CASE("sim options: the defaults of the table are accepted, and are what absence means") {
  Pairs defaults;
  for (const dp_option& option : sim::kOptions)
    if (option.default_value != nullptr) defaults.emplace_back(option.name, option.default_value);
  const sim::Script given = parse(defaults), absent = parse({});
  CHECK(given.service.time == absent.service.time);
  CHECK(given.service.seed == absent.service.seed);
  CHECK(given.tail_time == absent.tail_time);
  CHECK(given.credits_at_start == absent.credits_at_start);
  CHECK(given.errors.operations == absent.errors.operations);
  CHECK_FALSE(given.errors.active());
}

TEST_CASE("sim options: every option is in the README") {
  std::ifstream file(DISKPROOF_SOURCE_DIR "/engines/sim/README.md");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (const dp_option& option : sim::kOptions) {
    CAPTURE(option.name);
    CHECK(text.find("`" + std::string(option.name) + "`") != std::string::npos);
  }
}
