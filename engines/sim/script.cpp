// Options to Script; durations become ticks of the host's clock here, once.
#include "script.hpp"

#include <cerrno>
#include <string>
#include <string_view>

#include "real.hpp"
#include "script_rules.hpp"

namespace sim {
namespace {

constexpr std::uint64_t kReadsAndWrites = dp::operations(DP_OP_READ, DP_OP_WRITE);
constexpr std::uint64_t kSyncs = dp::operations(DP_OP_FSYNC, DP_OP_FDATASYNC);
constexpr std::uint64_t kAny = dp::operations(DP_OP_READ, DP_OP_WRITE, DP_OP_TRIM, DP_OP_WRITE_ZEROES) | kSyncs;
constexpr double kNormal99 = 2.3263478740408408;  // 99 % of a normal distribution are at or below so many deviations

struct NamedError {
  std::string_view name;
  dp_code code;
  int number;
};
constexpr NamedError kErrors[] = {{"eio", DP_EIO, EIO},
                                  {"enospc", DP_ENOSPC, ENOSPC},
                                  {"einval", DP_EINVAL, EINVAL},
                                  {"eacces", DP_EACCES, EACCES},
                                  {"enomem", DP_ENOMEM, ENOMEM},
                                  {"enotsup", DP_ENOTSUP, ENOTSUP},
                                  {"etimedout", DP_ETIMEDOUT, ETIMEDOUT},
                                  {"enodev", DP_ENODEV, ENODEV}};

// What a choice of the option table stands for.
template <class Value>
struct Choice {
  std::string_view name;
  Value value;
};
constexpr Choice<Distribution> kDistributions[] = {{"constant", Distribution::constant},
                                                   {"uniform", Distribution::uniform},
                                                   {"lognormal", Distribution::lognormal},
                                                   {"bimodal", Distribution::bimodal}};
constexpr Choice<Fault> kFaults[] = {{"none", Fault::none},
                                     {"bit_flip", Fault::bit_flip},
                                     {"torn", Fault::torn},
                                     {"misplaced", Fault::misplaced},
                                     {"lost", Fault::lost},
                                     {"lost_unless_flushed", Fault::lost_unless_flushed},
                                     {"lost_though_flushed", Fault::lost_though_flushed},
                                     {"stale", Fault::stale}};
constexpr Choice<std::uint64_t> kOperations[] = {{"any", kAny},
                                                 {"read", dp::operations(DP_OP_READ)},
                                                 {"write", dp::operations(DP_OP_WRITE)},
                                                 {"trim", dp::operations(DP_OP_TRIM, DP_OP_WRITE_ZEROES)},
                                                 {"sync", kSyncs}};

[[noreturn]] void refuse_value(const std::string& option, std::string_view value) {
  throw dp::EngineError(DP_EINVAL, "option " + option + " arrived as '" + std::string(value) + "'");
}

template <class Entry, std::size_t kCount>
const Entry& chosen(const dp::Options& options, const std::string& option, const Entry (&entries)[kCount]) {
  const std::string_view wanted = options.text(option, entries[0].name);
  for (const Entry& entry : entries)
    if (entry.name == wanted) return entry;
  refuse_value(option, wanted);
}

ServiceSpec parse_service(const dp::Host& host, const dp::Options& options) {
  const auto ticks = [&](const char* name) { return host.ticks_from_ns(options.number(name)); };
  ServiceSpec spec;
  spec.distribution = chosen(options, "distribution", kDistributions).value;
  spec.time = host.ticks_from_ns(options.number("service_time", 100'000));
  spec.spread = ticks("spread");
  spec.slow_time = ticks("slow_time");
  spec.slow_one_in = options.number("slow_one_in");
  spec.noise = static_cast<double>(options.number("noise")) / 100;
  spec.noise_memory = options.number("noise_memory", 1);
  spec.seed = options.number("seed", 1);
  if (spec.distribution == Distribution::lognormal) {
    const auto p99 = static_cast<double>(options.number("service_time_p99"));
    spec.sigma = natural_log(p99 / static_cast<double>(options.number("service_time", 100'000))) / kNormal99;
  }
  return spec;
}

LimitSpec parse_limit(const dp::Options& options, const std::string& name) {
  return {options.number(name), options.number(name + "_burst"), options.number(name + "_credits")};
}

Selector parse_selector(const dp::Options& options, const std::string& prefix, std::uint64_t operations) {
  Selector selector;
  selector.operations = operations;
  selector.every = options.number(prefix + "_every");
  selector.at = options.number(prefix + "_at");
  selector.offset = options.number(prefix + "_offset");
  selector.length = options.number(prefix + "_length");
  selector.all = selector.length != 0 && selector.every == 0 && selector.at == 0;
  return selector;
}

void parse_faults(const dp::Host& host, const dp::Options& options, Script& script) {
  script.errors = parse_selector(options, "error", chosen(options, "error_on", kOperations).value);
  script.shorts = parse_selector(options, "short", kReadsAndWrites);
  script.tail = parse_selector(options, "tail", kAny);
  const NamedError& error = chosen(options, "error_code", kErrors);
  script.error_code = error.code;
  script.error_number = static_cast<std::uint32_t>(error.number);
  script.tail_time = host.ticks_from_ns(options.number("tail_time", 100'000'000));
  script.stuck_at = options.number("stuck_at");
  script.ignore_cancel = options.flag("ignore_cancel");
  script.abort_at = options.number("abort_at");
  script.exit_at = options.number("exit_at");
  script.hang_at = options.number("hang_at");
}

void parse_content(const dp::Options& options, Script& script) {
  script.content = options.flag("content");
  script.fault = chosen(options, "fault", kFaults).value;
  if (script.fault == Fault::none) return;
  script.faults =
      parse_selector(options, "fault", dp::operations(script.fault == Fault::stale ? DP_OP_READ : DP_OP_WRITE));
  script.faults.all = script.faults.every == 0 && script.faults.at == 0;
}

}  // namespace

Script parse_script(const dp::Host& host, const dp::Options& options) {
  check_rules(options);
  Script script;
  script.service = parse_service(host, options);
  script.depth_time = host.ticks_from_ns(options.number("depth_time"));
  script.parallelism = options.number("parallelism");
  script.cache_hits = options.number("cache_hits");
  script.cache_time = host.ticks_from_ns(options.number("cache_time"));
  const char* const names[] = {"read_iops",       "write_iops",      "total_iops",       "read_bandwidth",
                               "write_bandwidth", "total_bandwidth", "cliff_write_iops", "cliff_write_bandwidth"};
  static_assert(std::size(names) == kLimits);
  for (std::size_t i = 0; i < kLimits; ++i) script.limits[i] = parse_limit(options, names[i]);
  script.credits_at_start = options.number("credits_at_start", 100);
  script.cliff_after = options.number("cliff_after");
  parse_faults(host, options, script);
  parse_content(options, script);
  return script;
}

}  // namespace sim
