// `diskproof run JOB`: job, plan, reports, session, exit code.
#include <ostream>

#include "cli/cli.hpp"
#include "cli/judge_phase.hpp"
#include "cli/machine.hpp"
#include "cli/plan_source.hpp"
#include "cli/report_paths.hpp"
#include "cli/run_session.hpp"
#include "cli/times.hpp"
#include "cli/url_source.hpp"
#include "exec/spare_child.hpp"
#include "plan/outline.hpp"
#include "support/path_text.hpp"
#include "support/version.hpp"

namespace diskproof {
namespace {

RunReport begin_report(const CheckedJob& checked) {
  RunReport report;
  report.tool_version = kVersion;
  report.started_at = iso_time(now_seconds());
  report.job_text = checked.text;
  report.host = host_facts();
  return report;
}

// This machine cannot run the job: the reports say so in the same test cases that a run would have.
int report_unplanned(const CheckedJob& checked, const PlanRequest& plan, const RunRequest& request, const Error& error,
                     Terminal& terminal) {
  RunReport report = begin_report(checked);
  report.plan = outline_plan(checked.job, plan);
  report.reason = error.what();
  for (const PhasePlan& phase : report.plan.phases) {
    report.phases.push_back(report_not_run(phase, std::string("not run: ") + error.what()));
  }
  conclude(report, error.kind() == ErrorKind::refused, InterruptGuard::interrupted());
  ReportSet reports(checked.out_dir, request.junit);
  const std::string fault = reports.write(report);
  if (!fault.empty()) terminal.complain(fault);
  const auto view = make_run_view(request, terminal);
  view->run_started(report);
  view->run_finished(report, reports.paths());
  if (request.quiet || request.json) terminal.complain(error.what());
  return report.exit_code;
}

// Nothing is touched then, so there are no reports either.
int refuse_reports(const std::string& conflict, Terminal& terminal) {
  terminal.complain(conflict);
  return static_cast<int>(ExitCode::bad_job);
}

}  // namespace

int run_command(const RunRequest& request, const Places& places, Terminal& terminal) {
  SpareChild spare(text_of(places.executable));
  spare.prepare();
  auto checked = load_checked_job(request.job, request.sets, request.out_dir, places, terminal.err);
  if (!checked) return static_cast<int>(ExitCode::bad_job);
  const ReportPaths wanted{
      .job_file = find_job_file(request.job, places), .out_dir = checked->out_dir, .junit = request.junit};
  if (const std::string conflict = report_conflict(wanted, checked->job); !conflict.empty()) {
    return refuse_reports(conflict, terminal);
  }
  const PlanRequest how = plan_request(*checked, request.scope);
  EngineSource engines(places, request.engine_paths, &spare);
  std::optional<Plan> plan;
  try {
    plan = plan_job(*checked, how, engines, terminal.err);
  } catch (const Error& error) {
    return report_unplanned(*checked, how, request, error, terminal);
  }
  if (!plan) return static_cast<int>(ExitCode::bad_job);
  if (const std::string conflict = report_conflict(wanted, *plan); !conflict.empty()) {
    return refuse_reports(conflict, terminal);
  }

  RunReport report = begin_report(*checked);
  report.plan = std::move(*plan);
  ReportSet reports(checked->out_dir, request.junit);
  const auto view = make_run_view(request, terminal);
  const StopControl stop(report.plan.timeout, InterruptGuard::interruptions);
  const auto execute = [&](std::span<const PhaseStart> starts, const std::string& state_dir,
                           const PreparedDisks& disks) {
    ChildSettings settings{
        .executable = text_of(places.executable), .state_dir = state_dir, .clock = places.clock, .spare = &spare};
    settings.targets = disks.files;
    settings.devices = disks.devices;
    settings.throttles = disks.throttles;
    settings.hurry = &stop.hurry();
    auto results = run_phases(report.plan, starts, settings, stop.flag());
    if (starts.back().index + 1 < report.plan.phases.size()) spare.prepare();  // while the reports are written
    return results;
  };
  RunSession session(report, {.reports = reports,
                              .view = *view,
                              .stop = stop,
                              .state_root = state_root(),
                              .filesystem = [](const std::string& path) { return filesystem_facts(path); },
                              .run_phases = execute,
                              .allowed_to_destroy = request.allowed_to_destroy,
                              .open_url = url_opener(text_of(places.executable))});
  session.run();
  if (request.quiet && !report.reason.empty()) terminal.complain(report.reason);
  return report.exit_code;
}

}  // namespace diskproof
