// The order of a run.
#include "cli/run_session.hpp"

#include <algorithm>

#include "cli/judge_phase.hpp"
#include "cli/phase_watcher.hpp"
#include "cli/run_manifests.hpp"
#include "cli/times.hpp"
#include "plan/enum_names.hpp"
#include "support/clock.hpp"
#include "support/error.hpp"
#include "support/units.hpp"
#include "verdict/findings.hpp"

namespace diskproof {
namespace {

void add_filesystem(const DiskPlan& disk, const FilesystemView& filesystem, DiskFacts& facts) {
  try {
    const FilesystemFacts found = filesystem(disk.mount_point.empty() ? base_folder(disk) : disk.mount_point);
    facts.filesystem = found.type;
    facts.mount_point = found.mount_point;
    facts.mount_source = found.source;
    facts.mount_options = found.options;
    facts.size = found.size;
    facts.network = network_mount(found);
  } catch (const Error&) {
    // The guard or the preparation says what is wrong with the folder.
  }
}

// `preparation`: null before it; then nothing is mounted yet.
std::vector<DiskFacts> disk_facts(const Plan& plan, const FilesystemView& filesystem, const Preparation* preparation) {
  std::vector<DiskFacts> all;
  for (const DiskPlan& disk : plan.disks) {
    DiskFacts facts;
    facts.name = disk.name;
    facts.kind = std::string(name_of(disk.kind));
    facts.path = disk.path;
    facts.size = disk.capacity;
    const bool on_files = disk.kind == DiskKind::file || disk.kind == DiskKind::directory;
    if (on_files || (preparation != nullptr && !disk.mount_point.empty())) add_filesystem(disk, filesystem, facts);
    if (preparation != nullptr) facts.device = preparation->device_of(disk.name);
    all.push_back(std::move(facts));
  }
  return all;
}

PreparedDisks prepared_disks(const Plan& plan, const Preparation& preparation) {
  PreparedDisks all;
  for (const DiskPlan& disk : plan.disks) {
    if (disk.kind == DiskKind::url) continue;  // what the engine opens is named by the server only
    if (!preparation.fault_of(disk.name).empty()) continue;
    for (const std::string& path : disk.files) {
      const FileIdentity identity = look_at(path).identity;
      if (!is_raw(disk)) all.files.push_back({path, identity.device, identity.inode});
    }
    if (const int descriptor = preparation.descriptor_of(disk.name); descriptor >= 0) {
      all.devices.push_back({disk.path, descriptor});
    }
    if (std::string group = preparation.throttle_of(disk.name); !group.empty()) all.throttles[disk.name] = group;
  }
  return all;
}

// Phases say what it does, and it is about all of them: the strictest word counts.
std::optional<Finding> nothing_gated(const Plan& plan) {
  Severity severity = Severity::ignore;
  for (const PhasePlan& phase : plan.phases) {
    const bool reads_back = phase.kind == PhaseKind::verify || phase.verify.during > 0;
    if (!phase.thresholds.empty() || reads_back) return std::nullopt;
    if (phase.kind == PhaseKind::measure) severity = std::max(severity, severity_of("nothing_gated", phase.findings));
  }
  return make_finding("nothing_gated", "the job has no thresholds, so only errors can fail it",
                      {{"nothing_gated", severity}});
}

}  // namespace

void expect_phases(RunReport& report) {
  report.phases.clear();
  for (const PhasePlan& phase : report.plan.phases) {
    report.phases.push_back(report_not_run(phase, "not run yet when this report was written"));
  }
}

void conclude(RunReport& report, bool refused, bool interrupted) {
  Outcome outcome = Outcome::skipped;
  // What only gets ready for a measurement can spoil a run, but makes none pass.
  const auto add = [&outcome](Outcome one, bool measures) {
    if (measures || one != Outcome::pass) outcome = worse(outcome, one);
  };
  for (const PhaseReport& phase : report.phases) add(phase.outcome, phase.kind != name_of(PhaseKind::layout));
  for (const StepReport& step : report.preparation) add(step.outcome, false);
  for (const Finding& finding : report.findings) {
    if (finding.level == FindingLevel::error) outcome = Outcome::error;
  }
  if (outcome == Outcome::skipped && !report.reason.empty()) outcome = Outcome::error;
  report.outcome = outcome;
  report.exit_code = static_cast<int>(exit_code({outcome, refused, interrupted}));
}

RunSession::RunSession(RunReport& report, SessionParts parts) : report_(report), parts_(std::move(parts)) {}

void RunSession::run() {
  began_ = monotonic_ns();
  report_.disks = disk_facts(report_.plan, parts_.filesystem, nullptr);
  expect_phases(report_);
  conclude(report_, false, false);
  write_reports();
  parts_.view.run_started(report_);
  if (report_fault_.empty() && stopped_reason().empty()) prepare();
  run_phases();
  finish();
}

void RunSession::write_reports() {
  report_.seconds = static_cast<double>(monotonic_ns() - began_) / 1e9;
  const std::string fault = parts_.reports.write(report_);
  if (report_fault_.empty()) report_fault_ = fault;
}

void RunSession::prepare() {
  try {
    const JournalHeader header{.run_id = report_.plan.run_id,
                               .job_file = report_.plan.job_file,
                               .started_at = report_.started_at,
                               .started = now_seconds(),
                               .process = current_process()};
    preparation_.emplace(report_.plan, parts_.state_root, header,
                         PreparationTerms{.allowed_to_destroy = parts_.allowed_to_destroy,
                                          .stopped = [this] { return parts_.stop.flag().load(); },
                                          .open_url = parts_.open_url});
    preparation_->prepare(parts_.filesystem);
    disks_ = prepared_disks(report_.plan, *preparation_);
    report_.disks = disk_facts(report_.plan, parts_.filesystem, &*preparation_);
  } catch (const Error& error) {
    refused_ = error.kind() == ErrorKind::refused;
    preparation_fault_ = error.what();
  } catch (const std::exception& error) {
    preparation_fault_ = error.what();
  }
  if (preparation_) report_.preparation = preparation_->steps();
}

std::string RunSession::stopped_reason() const {
  switch (parts_.stop.cause()) {
    case StopControl::Cause::interrupted:
      return "interrupted";
    case StopControl::Cause::timeout:
      return "the job's timeout passed";
    case StopControl::Cause::none:
      break;
  }
  return "";
}

// Why the phase cannot be run; empty when it can.
std::string RunSession::obstacle(const PhasePlan& phase) const {
  if (!report_fault_.empty()) return "not run because the reports cannot be written: " + report_fault_;
  if (!preparation_fault_.empty()) return "not run because the preparation ended: " + preparation_fault_;
  if (const std::string reason = stopped_reason(); !reason.empty()) return "not run: " + reason;
  if (!preparation_) return "not run: it was stopped before its preparation";
  if (group_.end != 0 && monotonic_ns() >= group_.end) return "not run: " + group_.passed;
  if (const std::string fault = preparation_->fault_of(phase.disk); !fault.empty()) {
    return "not run because disk " + phase.disk + " could not be prepared: " + fault;
  }
  if (tainted_.contains(phase.disk))
    return "not run because I/O of an earlier phase may still be under way on the disk";
  const bool writes = phase.operations.write > 0;
  if (report_.plan.max_written != 0 && written_ >= report_.plan.max_written && writes) {
    return "not run because the job has written " + format_bytes(written_) + ", and its max_written is " +
           format_bytes(report_.plan.max_written);
  }
  return "";
}

const PhaseReport* RunSession::find(const std::string& phase) const {
  const auto found = std::find_if(report_.phases.begin(), report_.phases.end(),
                                  [&](const PhaseReport& other) { return other.name == phase; });
  return found == report_.phases.end() ? nullptr : &*found;
}

// The report of a phase that an earlier one keeps from running.
std::optional<PhaseReport> RunSession::unmet(const PhasePlan& phase) const {
  for (const std::string& name : phase.required) {
    const PhaseReport* other = find(name);
    if (other != nullptr && (other->outcome == Outcome::pass || other->outcome == Outcome::inconclusive)) continue;
    if (other != nullptr && other->outcome == Outcome::skipped) {
      return report_skipped(phase, "not run because " + name + " was skipped: " + other->reason);
    }
    const bool failed = other != nullptr && other->outcome == Outcome::fail;
    return report_not_run(phase, "not run because " + name + (failed ? " failed" : " ended in an error"));
  }
  for (const std::string& need : phase.needs) {
    const PhaseReport* other = find(need);
    if (other != nullptr && other->outcome == Outcome::pass) continue;
    if (other != nullptr && other->outcome == Outcome::skipped) {
      return report_skipped(phase, "not run because " + need + " was skipped: " + other->reason);
    }
    return report_not_run(phase, "not run because " + need + " did not succeed");
  }
  return std::nullopt;
}

// Why a check of a phase of this run cannot begin; empty when it can. It needs no writer that ended well, but one that
// left word of what it wrote.
std::string RunSession::missing_manifest(const PhasePlan& phase) const {
  if (phase.kind != PhaseKind::verify || phase.verify.of.empty()) return "";
  const PhaseReport* writer = find(phase.verify.of);
  if (writer != nullptr && tainted_.contains(writer->disk)) {
    return "not run because I/O of " + writer->name + " may still be under way on its disk";
  }
  if (has_manifest(report_.plan, phase)) return "";
  const bool ended = writer != nullptr && !writer->started_at.empty() && !writer->reason.empty();
  return "not run because " + phase.verify.of + " left no manifest of what it wrote" +
         (ended ? ": " + writer->reason : "");
}

// The same before the first turn of a check: where its writer takes turns with it, that is not known yet.
std::optional<PhaseReport> RunSession::without_writer(const PhasePlan& phase) const {
  const auto& plans = report_.plan.phases;
  const auto writer = std::ranges::find(plans, phase.verify.of, &PhasePlan::name);
  if (phase.kind != PhaseKind::verify || phase.verify.of.empty() || writer == plans.end()) return std::nullopt;
  if (!phase.group.empty() && writer->group == phase.group) return std::nullopt;
  if (const PhaseReport* report = find(writer->name); report != nullptr && report->outcome == Outcome::skipped) {
    return report_skipped(phase, "not run because " + report->name + " was skipped: " + report->reason);
  }
  const std::string reason = missing_manifest(phase);
  return reason.empty() ? std::nullopt : std::optional(report_not_run(phase, reason));
}

const DiskFacts* RunSession::facts_of(const std::string& disk) const {
  const auto found = std::ranges::find(report_.disks, disk, &DiskFacts::name);
  return found == report_.disks.end() ? nullptr : &*found;
}

void RunSession::finish() {
  if (preparation_) {
    preparation_->undo(tainted_);
    report_.preparation = preparation_->steps();
  }
  if (auto finding = nothing_gated(report_.plan)) report_.findings.push_back(std::move(*finding));
  report_.reason = !preparation_fault_.empty() ? preparation_fault_ : stopped_reason();
  const bool interrupted = parts_.stop.cause() == StopControl::Cause::interrupted;
  conclude(report_, refused_, interrupted);
  write_reports();
  if (!report_fault_.empty()) {
    report_.reason = report_fault_;
    report_.outcome = Outcome::error;
    report_.exit_code = static_cast<int>(exit_code({Outcome::error, refused_, interrupted}));
  }
  std::vector<std::string> paths = parts_.reports.paths();
  std::ranges::move(left_manifests(report_.plan), std::back_inserter(paths));
  parts_.view.run_finished(report_, paths);
}

}  // namespace diskproof
