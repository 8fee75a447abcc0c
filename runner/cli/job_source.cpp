// Loading of job files for the commands.
#include "cli/job_source.hpp"

#include <filesystem>
#include <ostream>

#include "cli/times.hpp"
#include "job/job_loader.hpp"
#include "plan/gate_check.hpp"
#include "plan/outline.hpp"
#include "plan/planner.hpp"
#include "plan/verify_order.hpp"
#include "support/absolute_path.hpp"
#include "support/path_text.hpp"
#include "support/regular_file.hpp"
#include "target/reach.hpp"

namespace diskproof {
namespace fs = std::filesystem;
namespace {

// diskproof-results/<name>-<time>, with a number where that exists already.
std::string fresh_out_dir(const std::string& job_name) {
  const fs::path base = fs::current_path() / "diskproof-results";
  const std::string name = file_word(job_name) + "-" + compact_time(now_seconds());
  fs::path folder = base / name;
  for (int number = 2; fs::exists(folder); ++number) folder = base / (name + "-" + std::to_string(number));
  return text_of(folder);
}

}  // namespace

void print(const Diagnostics& diagnostics, std::ostream& err) {
  for (const Diagnostic& diagnostic : diagnostics) err << to_string(diagnostic) << '\n';
}

std::optional<CheckedJob> load_checked_job(const std::string& job, const Sets& sets, const std::string& out_dir,
                                           const Places& places, std::ostream& err) {
  const std::string file = find_job_file(job, places);
  require_answer("the job file", file);
  CheckedJob checked;
  // The default folder is named after the job, which only loading tells; any value of ${out} will do for that.
  checked.out_dir = out_dir.empty() ? fresh_out_dir(load_job(file, {sets, "."}).job.name)
                                    : absolute_path(text_of(fs::current_path()), out_dir);
  LoadedJob loaded = load_job(file, {sets, checked.out_dir});
  check_gates(loaded.job, loaded.diagnostics);
  if (!has_errors(loaded.diagnostics)) {
    const Plan outline = outline_plan(loaded.job, {.out_dir = {}, .working_dir = {}, .run_id = {}, .fresh_seed = {}});
    verify_order(loaded.job, outline.phases, loaded.diagnostics);
  }
  sort_by_place(loaded.diagnostics);
  print(loaded.diagnostics, err);
  if (has_errors(loaded.diagnostics)) return std::nullopt;
  checked.job = std::move(loaded.job);
  checked.text = read_file(file);
  return checked;
}

}  // namespace diskproof
