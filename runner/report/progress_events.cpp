// The JSON Lines events.
#include <cmath>
#include <nlohmann/json.hpp>

#include "metrics/run_data_json.hpp"
#include "plan/enum_names.hpp"
#include "report/json_text.hpp"
#include "report/progress.hpp"
#include "report/report_fields.hpp"

namespace diskproof {
namespace {

using Json = nlohmann::ordered_json;

void add(Json& json, const char* name, const std::optional<double>& value) {
  if (value && std::isfinite(*value)) json[name] = *value;
}

std::string word(auto value) {
  for (const auto& [known, name] : result::names_of(value)) {
    if (known == value) return std::string(name);
  }
  return {};
}

}  // namespace

std::string run_started_event(const RunReport& report) {
  Json phases = Json::array();
  for (const PhasePlan& phase : report.plan.phases) phases.push_back(phase.name);
  return compact_json({{"event", "run_started"},
                       {"job", report.plan.job_name},
                       {"run_id", report.plan.run_id},
                       {"started_at", report.started_at},
                       {"out_dir", report.plan.out_dir},
                       {"phases", std::move(phases)}});
}

std::string phase_started_event(const PhasePlan& phase) {
  return compact_json({{"event", "phase_started"},
                       {"phase", phase.name},
                       {"kind", std::string(name_of(phase.kind))},
                       {"disk", phase.disk},
                       {"engine", phase.engine.name}});
}

std::string tick_event(const Progress& progress) {
  Json json = {{"event", "tick"}, {"phase", progress.phase}, {"kind", progress.kind}};
  if (progress.runs > 1) json["run"] = progress.run;
  add(json, "elapsed", progress.elapsed);
  add(json, "total", progress.total);
  add(json, "done", progress.done);
  add(json, "iops", progress.iops);
  add(json, "bandwidth", progress.bandwidth);
  return compact_json(json);
}

std::string finding_event(const std::string& phase, const Finding& finding) {
  Json json = {{"event", "finding"}};
  if (!phase.empty()) json["phase"] = phase;
  json["name"] = finding.name;
  json["level"] = word(finding.level);
  json["text"] = finding.text;
  json["advice"] = finding.advice;
  return compact_json(json);
}

std::string phase_finished_event(const PhaseReport& phase) {
  Json thresholds = Json::array();
  for (const ThresholdResult& result : phase.thresholds) {
    Json entry = {{"check", result.check}, {"outcome", word(result.outcome)}};
    add(entry, "observed", result.observed);
    add(entry, "bound", result.bound);
    entry["severity"] = result.warn ? "warn" : "fail";
    entry["reason"] = result.reason;
    thresholds.push_back(std::move(entry));
  }
  return compact_json({{"event", "phase_finished"},
                       {"phase", phase.name},
                       {"kind", phase.kind},
                       {"outcome", word(phase.outcome)},
                       {"reason", phase.reason},
                       {"seconds", phase.seconds},
                       {"metrics", metrics_to_json(phase.metrics)},
                       {"thresholds", std::move(thresholds)}});
}

std::string run_finished_event(const RunReport& report) {
  return compact_json({{"event", "run_finished"},
                       {"job", report.plan.job_name},
                       {"outcome", word(report.outcome)},
                       {"exit_code", report.exit_code},
                       {"reason", report.reason},
                       {"seconds", report.seconds},
                       {"out_dir", report.plan.out_dir}});
}

}  // namespace diskproof
