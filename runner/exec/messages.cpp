// Small payloads to JSON text and back.
#include "exec/messages.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "exec/protocol.hpp"
#include "metrics/run_data_json.hpp"
#include "plan/plan_json.hpp"

namespace diskproof {

namespace {

using Json = nlohmann::ordered_json;

// Parses `text` and reads it with `read`; whatever is wrong becomes one Error that names the frame.
template <class Read>
auto parse(const char* frame, const std::string& text, Read read) {
  try {
    return read(Json::parse(text));
  } catch (const nlohmann::json::exception& fault) {
    throw Error(ErrorKind::failed, fmt::format("malformed {} frame: {}", frame, fault.what()));
  }
}

ErrorKind kind_from(const std::string& name) {
  if (name == "unavailable") return ErrorKind::unavailable;
  if (name == "refused") return ErrorKind::refused;
  if (name == "bad_job") return ErrorKind::bad_job;
  return ErrorKind::failed;
}

const char* name_of(ErrorKind kind) {
  if (kind == ErrorKind::unavailable) return "unavailable";
  if (kind == ErrorKind::refused) return "refused";
  if (kind == ErrorKind::bad_job) return "bad_job";
  return "failed";
}

const char* name_of(PhaseTick::Stage stage) {
  if (stage == PhaseTick::Stage::warmup) return "warmup";
  if (stage == PhaseTick::Stage::drain) return "drain";
  return "measure";
}

PhaseTick::Stage stage_from(const std::string& name) {
  if (name == "warmup") return PhaseTick::Stage::warmup;
  if (name == "drain") return PhaseTick::Stage::drain;
  return PhaseTick::Stage::measure;
}

}  // namespace

std::string json_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// The child gets the plan without the other phases: of hundreds it needs one.
std::string phase_request_text(const Plan& plan, std::size_t phase, const ChildSettings& settings,
                               const std::vector<HeldDevice>& devices) {
  Plan alone = plan;
  alone.phases = {plan.phases.at(phase)};
  alone.phases.front().needs.clear();
  alone.phases.front().required.clear();
  alone.phases.front().verify.of.clear();  // it knows the manifest
  Json json = {{"phase", 0}, {"state_dir", settings.state_dir}};
  json["targets"] = Json::array();
  for (const TargetIdentity& target : settings.targets) {
    json["targets"].push_back({{"path", target.path}, {"device", target.device}, {"inode", target.inode}});
  }
  json["devices"] = Json::array();
  for (const HeldDevice& device : devices) {
    json["devices"].push_back({{"path", device.path}, {"descriptor", device.descriptor}});
  }
  json["clock"] = {{"cycles", settings.clock.cycles}, {"raw_ns", settings.clock.raw_ns}};
  json["plan"] = plan_to_json(alone);
  return json_text(json);
}

PhaseRequest parse_phase_request(const std::string& text) {
  return parse("plan", text, [](const Json& json) {
    PhaseRequest request{
        plan_from_json(json.at("plan")),
        json.at("phase").get<std::size_t>(),
        json.at("state_dir").get<std::string>(),
        {json.at("clock").at("cycles").get<std::uint64_t>(), json.at("clock").at("raw_ns").get<std::uint64_t>()}};
    for (const Json& target : json.at("targets")) {
      request.targets.push_back({target.at("path").get<std::string>(), target.at("device").get<std::uint64_t>(),
                                 target.at("inode").get<std::uint64_t>()});
    }
    for (const Json& device : json.at("devices")) {
      request.devices.push_back({device.at("path").get<std::string>(), device.at("descriptor").get<int>()});
    }
    if (request.phase >= request.plan.phases.size()) throw Error(ErrorKind::failed, "the plan has no such phase");
    return request;
  });
}

std::string go_text(std::uint64_t start_ns) { return json_text({{"start", start_ns}}); }
std::uint64_t parse_go(const std::string& text) {
  return parse("go", text, [](const Json& json) { return json.at("start").get<std::uint64_t>(); });
}

std::string hello_text() { return json_text({{"build", build_id()}}); }
std::string parse_hello(const std::string& text) {
  return parse("hello", text, [](const Json& json) { return json.at("build").get<std::string>(); });
}

std::string probe_text(const ProbeRequest& request) {
  Json json = {{"library", request.library}};
  if (request.trial) {
    const EngineTrial& trial = *request.trial;
    json["trial"] = {{"options", trial.options},
                     {"target", trial.target},
                     {"size", trial.size},
                     {"depth", trial.depth},
                     {"max_length", trial.max_length}};
  }
  return json_text(json);
}
ProbeRequest parse_probe(const std::string& text) {
  return parse("probe", text, [](const Json& json) {
    ProbeRequest request{.library = json.at("library").get<std::string>(), .trial = {}};
    if (const auto trial = json.find("trial"); trial != json.end()) {
      request.trial = EngineTrial{.options = trial->at("options").get<std::map<std::string, std::string>>(),
                                  .target = trial->at("target").get<std::string>(),
                                  .size = trial->at("size").get<std::uint64_t>(),
                                  .depth = trial->at("depth").get<std::uint32_t>(),
                                  .max_length = trial->at("max_length").get<std::uint64_t>()};
    }
    return request;
  });
}

std::string call_text(const char* name) { return json_text({{"name", name}}); }
std::string parse_call(const std::string& text) {
  return parse("call", text, [](const Json& json) { return json.at("name").get<std::string>(); });
}

std::string tick_text(const PhaseTick& tick) {
  return json_text({{"stage", name_of(tick.stage)},
                    {"elapsed", tick.elapsed},
                    {"total", tick.total},
                    {"done", tick.done},
                    {"iops", tick.iops},
                    {"bandwidth", tick.bandwidth},
                    {"written", tick.written}});
}
PhaseTick parse_tick(const std::string& text) {
  return parse("tick", text, [](const Json& json) {
    return PhaseTick{stage_from(json.at("stage").get<std::string>()),
                     json.at("elapsed").get<double>(),
                     json.at("total").get<double>(),
                     json.at("done").get<double>(),
                     json.at("iops").get<double>(),
                     json.at("bandwidth").get<double>(),
                     json.at("written").get<std::uint64_t>()};
  });
}

std::string stuck_text(const StuckIo& stuck) {
  return json_text({{"worker", stuck.worker}, {"tag", stuck.tag}, {"offset", stuck.offset}, {"age", stuck.age}});
}
StuckIo parse_stuck(const std::string& text) {
  return parse("stuck", text, [](const Json& json) {
    return StuckIo{json.at("worker").get<std::uint32_t>(), json.at("tag").get<std::uint32_t>(),
                   json.at("offset").get<std::uint64_t>(), json.at("age").get<std::uint64_t>()};
  });
}

std::string error_text(const Error& error) {
  return json_text({{"kind", name_of(error.kind())}, {"text", error.what()}});
}
Error parse_error(const std::string& text) {
  return parse("error", text, [](const Json& json) {
    return Error(kind_from(json.at("kind").get<std::string>()), json.at("text").get<std::string>());
  });
}

std::string interval_text(const Interval& row) { return json_text(intervals_to_json({&row, 1})); }
Interval parse_interval(const std::string& text) {
  return parse("interval", text, [](const Json& json) {
    std::vector<Interval> rows = intervals_from_json(json);
    if (rows.size() != 1) throw Error(ErrorKind::failed, "an interval frame holds one row");
    return std::move(rows.front());
  });
}

}  // namespace diskproof
