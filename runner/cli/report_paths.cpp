// Every path that is written by a report against every path that belongs to something else.
#include "cli/report_paths.hpp"

#include <filesystem>
#include <fmt/format.h>

#include "support/path_text.hpp"
#include "target/marker.hpp"
#include "target/reach.hpp"

namespace diskproof {
namespace {

namespace fs = std::filesystem;

// As far as it exists with its links resolved; small letters.
std::string resolved(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path_from(path), error);
  fs::path real = fs::weakly_canonical(absolute, error);
  if (error) real = absolute.lexically_normal();
  if (!real.has_filename()) real = real.parent_path();
  std::string text = text_of(real);
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

bool same(const std::string& a, const std::string& b) {
  std::error_code none;
  return resolved(a) == resolved(b) || fs::equivalent(path_from(a), path_from(b), none);
}

bool inside(const std::string& path, const std::string& folder) {
  const std::string whole = resolved(path), lead = resolved(folder);
  return whole.size() > lead.size() && whole.starts_with(lead) &&
         (whole[lead.size()] == '/' || whole[lead.size()] == '\\');
}

struct NamedReport {
  std::string option, path;
};

std::string in_folder(const std::string& folder, const char* name) { return text_of(path_from(folder) / name); }

std::vector<NamedReport> report_files(const ReportPaths& reports) {
  std::vector<NamedReport> files{{"result.json of --out", in_folder(reports.out_dir, "result.json")},
                                 {"junit.xml of --out", in_folder(reports.out_dir, "junit.xml")}};
  if (!reports.junit.empty()) files.push_back({"--junit", reports.junit});
  return files;
}

// The disk's file or its marker under a report, or under the folder of the reports itself.
std::string conflict_with_file(const ReportPaths& reports, const std::string& disk, const std::string& file) {
  std::vector<NamedReport> all = report_files(reports);
  all.push_back({"--out", reports.out_dir});
  for (const NamedReport& report : all) {
    for (const std::string& path : {file, marker_path(file)}) {
      if (!same(report.path, path)) continue;
      return fmt::format("{} {} is {} of disk {}, which the report would replace; give the report another place",
                         report.option, report.path, path == file ? "the file" : "the layout marker", disk);
    }
  }
  return "";
}

// Of the disks; what is silent among the reports is an error at once.
std::set<std::string> silent_places(const ReportPaths& reports, const Job& job) {
  std::vector<std::string> paths{reports.out_dir};
  if (!reports.junit.empty()) paths.push_back(reports.junit);
  for (const Disk& disk : job.disks) {
    if (disk.kind == DiskKind::file) paths.push_back(disk.path);
  }
  const std::set<std::string> silent = silent_paths(paths);
  for (const NamedReport& report : {NamedReport{"--out", reports.out_dir}, NamedReport{"--junit", reports.junit}}) {
    if (silent.contains(report.path)) throw no_answer(ErrorKind::failed, report.option, report.path);
  }
  return silent;
}

}  // namespace

std::string report_conflict(const ReportPaths& reports, const Job& job) {
  const std::set<std::string> silent = silent_places(reports, job);
  for (const NamedReport& report : report_files(reports)) {
    if (same(report.path, reports.job_file)) {
      return fmt::format("{} {} is the job file itself; name another file", report.option, report.path);
    }
    if (report.option == "--junit" || reports.junit.empty() || !same(report.path, reports.junit)) continue;
    return fmt::format("--junit {} is the run's own {}; name another file", reports.junit,
                       text_of(path_from(report.path).filename()));
  }
  for (const Disk& disk : job.disks) {
    if (disk.kind != DiskKind::file || silent.contains(disk.path)) continue;
    if (std::string text = conflict_with_file(reports, disk.name, disk.path); !text.empty()) return text;
  }
  return "";
}

namespace {

// Of a phase that stamps: what it leaves, against what is read or written besides.
std::string conflict_of_manifest(const ReportPaths& reports, const Plan& plan, const PhasePlan& writer) {
  const std::string& manifest = writer.verify.manifest;
  const auto text = [&](const std::string& what) {
    return fmt::format("the manifest of phase {} is {}, which is {}; give --out or that another place", writer.name,
                       manifest, what);
  };
  if (same(manifest, reports.job_file)) return text("the job file itself");
  for (const NamedReport& report : report_files(reports)) {
    if (same(manifest, report.path)) return text(report.option);
  }
  for (const PhasePlan& phase : plan.phases) {
    const bool other_run = phase.kind == PhaseKind::verify && phase.verify.of.empty() && phase.skip.empty();
    if (other_run && same(manifest, phase.verify.manifest)) return text("what phase " + phase.name + " is to check");
  }
  for (const DiskPlan& disk : plan.disks) {
    for (const std::string& file : disk.files) {
      if (same(manifest, file) || same(manifest, marker_path(file))) return text("a file of disk " + disk.name);
    }
    if (!disk.work_path.empty() && inside(manifest, disk.work_path)) return text("in the work folder of " + disk.name);
  }
  return "";
}

}  // namespace

std::string report_conflict(const ReportPaths& reports, const Plan& plan) {
  for (const PhasePlan& phase : plan.phases) {
    if (!phase.verify.write || !phase.skip.empty()) continue;
    if (std::string text = conflict_of_manifest(reports, plan, phase); !text.empty()) return text;
  }
  for (const DiskPlan& disk : plan.disks) {
    for (const std::string& file : disk.files) {
      if (std::string text = conflict_with_file(reports, disk.name, file); !text.empty()) return text;
    }
    if (disk.work_path.empty()) continue;
    for (const NamedReport& report : report_files(reports)) {
      if (!inside(report.path, disk.work_path)) continue;
      return fmt::format("{} {} is inside the work folder of disk {}; give the report another place", report.option,
                         report.path, disk.name);
    }
  }
  return "";
}

}  // namespace diskproof
