// The payloads of small frames as values.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "engine/engine_trial.hpp"
#include "exec/phase_runner.hpp"
#include "metrics/run_data.hpp"
#include "support/error.hpp"

namespace diskproof {

struct PhaseRequest {
  Plan plan;
  std::size_t phase = 0;
  std::string state_dir;
  ClockSample clock;
  std::vector<TargetIdentity> targets{};
  std::vector<HeldDevice> devices{};
};

struct ProbeRequest {
  std::string library;               // absolute path
  std::optional<EngineTrial> trial;  // absent: the engine is only described
};

// Whatever is not UTF-8 (an engine's texts may be anything) is replaced.
std::string json_text(const nlohmann::ordered_json& json);

// `devices`: as the child finds them.
std::string phase_request_text(const Plan& plan, std::size_t phase, const ChildSettings& settings,
                               const std::vector<HeldDevice>& devices = {});
std::string go_text(std::uint64_t start_ns);
std::string hello_text();
std::string probe_text(const ProbeRequest& request);
std::string call_text(const char* name);
std::string tick_text(const PhaseTick& tick);
std::string stuck_text(const StuckIo& stuck);
std::string error_text(const Error& error);
std::string interval_text(const Interval& row);

// All of these throw Error{failed} on anything malformed.
PhaseRequest parse_phase_request(const std::string& text);
std::uint64_t parse_go(const std::string& text);
std::string parse_hello(const std::string& text);
ProbeRequest parse_probe(const std::string& text);
std::string parse_call(const std::string& text);
PhaseTick parse_tick(const std::string& text);
StuckIo parse_stuck(const std::string& text);
Error parse_error(const std::string& text);
Interval parse_interval(const std::string& text);

}  // namespace diskproof
