// Sections of the terminal view, each left out when it has nothing to say; the verdict is the last line.
#include "report/console_writer.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "report/columns.hpp"
#include "report/console_table.hpp"
#include "report/facts.hpp"
#include "report/groups.hpp"
#include "report/link_share.hpp"
#include "report/repeats.hpp"
#include "report/run_report.hpp"
#include "report/verification.hpp"
#include "report/xml.hpp"
#include "support/counted.hpp"
#include "support/units.hpp"

namespace diskproof {
namespace {

constexpr std::size_t kWordWidth = 12;  // of the widest outcome
constexpr std::size_t kIndent = 2 + kWordWidth + 2;
constexpr std::size_t kFaultLines = 10;  // of a check; the others are in the reports
constexpr std::size_t kLogLimit = 2048;  // bytes of a child's output; the whole of it is in the reports

std::string line(std::string_view word, std::size_t word_width, const std::string& text) {
  return "  " + std::string(word) + std::string(word_width < kWordWidth ? kWordWidth - word_width : 0, ' ') + "  " +
         wrap(text, kIndent) + "\n";
}

std::string outcome_line(Outcome outcome, bool color, const std::string& text) {
  return line(outcome_word(outcome, color), outcome_word(outcome, false).size(), text);
}

std::string plain_line(std::string_view word, const std::string& text) { return line(word, word.size(), text); }

std::string continuation(const std::string& text) { return std::string(kIndent, ' ') + wrap(text, kIndent) + "\n"; }

std::string section(std::string_view title, const std::string& lines) {
  return lines.empty() ? "" : fmt::format("\n{}\n{}", title, lines);
}

std::string duration_text(double seconds) {
  constexpr double kNanoseconds = 1e9;
  const bool sane = seconds >= 0 && seconds < 1e9;
  return sane ? format_duration(Nanoseconds(static_cast<std::int64_t>(seconds * kNanoseconds))) : "-";
}

// What kind of run it was, beyond its job.
std::string remarks(const Plan& plan) {
  std::string labels;
  for (const auto& [key, value] : plan.labels) labels += fmt::format("{}{}={}", labels.empty() ? "" : ", ", key, value);
  std::string text = labels.empty() ? "" : "labels: " + one_line(labels) + "\n";
  if (plan.smoke) text += "a smoke run: it shows that everything works, and proves nothing of the disk\n";
  return text;
}

std::string title(const RunReport& report) {
  std::string where = one_line(report.host.hostname);
  for (const std::string& part : {report.host.kernel, report.started_at}) {
    if (!part.empty()) where += (where.empty() ? "" : ", ") + one_line(part);
  }
  return fmt::format("{}: {}{}ran for {}\n{}\n", one_line(report.plan.job_name), where, where.empty() ? "" : ", ",
                     duration_text(report.seconds), remarks(report.plan));
}

std::string steps(const RunReport& report, bool color) {
  std::string text;
  for (const StepReport& step : report.preparation) {
    if (step.outcome == Outcome::pass) continue;
    text += outcome_line(step.outcome, color, one_line(step.name + (step.reason.empty() ? "" : ": " + step.reason)));
  }
  return text;
}

std::string repeats(const RunReport& report) {
  std::string text;
  for (const PhaseReport& phase : report.phases) {
    for (const std::string& line : score_lines(report, phase)) {
      text += plain_line(score_words(report, phase), one_line(phase.name + ": " + line));
    }
  }
  return text;
}

std::string groups(const RunReport& report) {
  std::string text;
  for (const PhaseReport& phase : report.phases) {
    for (const GroupLine& one : group_lines(phase))
      text += plain_line(one.window, one_line(phase.name + ": " + one.text));
  }
  return text;
}

std::string comparison(const ThresholdResult& result) {
  const std::string observed = result.observed ? metric_text(result.metric, *result.observed) : "not measured";
  const std::string bound = result.bound ? ", bound " + metric_text(result.metric, *result.bound) : "";
  return fmt::format("observed {}{}", observed, bound);
}

std::string threshold_lines(const PhaseReport& phase, const ThresholdResult& result, bool color) {
  const bool held = result.outcome == Outcome::pass;
  // The reason holds the numbers; one that the phase gives for all its thresholds stands under "errors".
  const bool explained = !held && !result.reason.empty();
  std::string what = phase.name + ": " + result.check;
  const bool measured = result.observed || result.reason.empty();
  if (!explained) what += " (" + (measured ? comparison(result) : result.reason) + ")";
  if (explained && result.reason == phase.reason) what += " (does not count: see errors)";
  const bool warned = result.warn && (result.outcome == Outcome::fail || result.outcome == Outcome::inconclusive);
  std::string text =
      warned ? plain_line("warning", one_line(what)) : outcome_line(result.outcome, color, one_line(what));
  if (explained && result.reason != phase.reason) text += continuation(one_line(result.reason));
  return text;
}

std::string thresholds(const RunReport& report, bool color) {
  std::string text;
  for (const PhaseReport& phase : report.phases) {
    if (phase.outcome == Outcome::skipped) continue;  // said once, under "errors"
    for (const ThresholdResult& result : phase.thresholds) text += threshold_lines(phase, result, color);
  }
  return text;
}

// What was read back wrong, by its places.
std::string faults(const RunReport& report) {
  std::string text;
  for (const PhaseReport& phase : report.phases) {
    for (const std::string& fault : fault_lines(phase, kFaultLines)) {
      text += plain_line("fault", one_line(phase.name + ": " + fault));
    }
  }
  return text;
}

std::string passed_over_text(const EnginePlan& engine) {
  std::string text = engine.name;
  for (const PassedOver& other : engine.passed_over)
    text += fmt::format("{}{} cannot be used ({})", text == engine.name ? ", as " : ", and ", other.name, other.reason);
  return text;
}

// Where a list of engines led to another one than its first; phases in a row with the same story are told together.
std::string engines_chosen(const RunReport& report) {
  std::string text, names, story;
  const auto tell = [&] {
    if (!names.empty()) text += plain_line("engine", one_line(names + ": " + story));
    names.clear();
  };
  for (const PhasePlan& phase : report.plan.phases) {
    if (phase.engine.passed_over.empty() || phase.kind == PhaseKind::layout) continue;
    const std::string next = passed_over_text(phase.engine);
    if (next != story) tell();
    story = next;
    names += (names.empty() ? "" : ", ") + phase.name;
  }
  tell();
  return text;
}

std::string links(const RunReport& report) {
  std::string text;
  for (const LinkShare& share : link_shares(report)) text += plain_line("link", one_line(link_text(share)));
  return text;
}

std::string finding_lines(const std::vector<Finding>& findings, const std::string& phase) {
  std::string text;
  for (const Finding& finding : findings) {
    const char* word = finding.level == FindingLevel::error  ? "invalid"
                       : finding.level == FindingLevel::warn ? "warning"
                                                             : "note";
    text += plain_line(
        word, one_line(fmt::format("{}{}: {}", phase.empty() ? "" : phase + ": ", finding.name, finding.text)));
    if (!finding.advice.empty()) text += continuation(one_line(finding.advice));
  }
  return text;
}

std::string findings(const RunReport& report) {
  std::string text = finding_lines(report.findings, "");
  for (const PhaseReport& phase : report.phases) text += finding_lines(phase.findings, phase.name);
  return text;
}

std::string log_lines(const std::string& log) {
  std::string text = cap_text(xml_clean(log), kLogLimit);
  std::ranges::replace(text, '\r', '\n');  // a terminal would write over the line
  while (text.ends_with('\n')) text.pop_back();
  return text.empty() ? "" : continuation("its last output:\n" + text);
}

// Says each fault once: of a reason that repeats one which is on the screen already, what stands before it.
class FaultsShown {
 public:
  explicit FaultsShown(const RunReport& report) {
    for (const StepReport& step : report.preparation) {
      if (step.outcome != Outcome::pass) shown_.push_back(step.reason);
    }
  }
  // Empty when nothing of it is new.
  std::string fresh_part(const std::string& reason) {
    for (const std::string& known : shown_) {
      if (known.empty() || !reason.ends_with(known)) continue;
      const std::string lead = reason.substr(0, reason.size() - known.size());
      return lead.ends_with(": ") ? lead.substr(0, lead.size() - 2) : lead;
    }
    shown_.push_back(reason);
    return reason;
  }

 private:
  std::vector<std::string> shown_;
};

bool ended_badly(const PhaseReport& phase) { return !phase.reason.empty() && phase.outcome != Outcome::pass; }

// The phases from `first` on that ended for the same reason: "a, b, c".
std::string names_of_equals(const std::vector<PhaseReport>& phases, std::size_t first) {
  std::string names = phases[first].name;
  for (std::size_t i = first + 1; i < phases.size() && phases[i].reason == phases[first].reason; ++i) {
    names += ", " + phases[i].name;
  }
  return names;
}

// What went wrong, beyond thresholds and steps.
std::string errors(const RunReport& report, bool color) {
  std::string text;
  FaultsShown shown(report);
  if (const std::string reason = shown.fresh_part(report.reason); !reason.empty()) {
    text += outcome_line(Outcome::error, color, one_line(reason));
  }
  for (std::size_t i = 0; i < report.phases.size(); ++i) {
    const PhaseReport& phase = report.phases[i];
    const bool said = i > 0 && report.phases[i - 1].reason == phase.reason;
    if (ended_badly(phase) && !said) {
      const std::string why = shown.fresh_part(phase.reason);
      text += outcome_line(phase.outcome, color,
                           one_line(names_of_equals(report.phases, i) + ": " + (why.empty() ? "as said above" : why)));
    }
    for (const std::string& fault : io_error_lines(phase)) {
      text += plain_line("I/O error", one_line(phase.name + ": " + fault));
    }
    if (phase.stuck) text += plain_line("stuck I/O", one_line(phase.name + ": " + describe(*phase.stuck)));
    if (ended_badly(phase)) text += log_lines(phase.log_tail);
  }
  return text;
}

std::string written(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) text += "  " + one_line(path) + "\n";
  return text;
}

struct Ending {
  const char *word, *meaning, *color;
};

Ending ending_of(int exit_code) {
  switch (static_cast<ExitCode>(exit_code)) {
    case ExitCode::pass:
      return {"PASS", "everything was measured, nothing failed", "\x1B[1;32m"};
    case ExitCode::fail:
      return {"FAIL", "a threshold does not hold", "\x1B[1;31m"};
    case ExitCode::bad_job:
      return {"BAD JOB", "the job file is wrong", "\x1B[1;31m"};
    case ExitCode::refused:
      return {"REFUSED", "the run would not have been safe", "\x1B[1;31m"};
    case ExitCode::inconclusive:
      return {"INCONCLUSIVE", "nothing failed, but not everything could be decided", "\x1B[1;33m"};
    case ExitCode::interrupted:
      return {"INTERRUPTED", "ended before it was complete", "\x1B[1;33m"};
    case ExitCode::error:
      break;
  }
  return {"ERROR", "something could not be measured", "\x1B[1;31m"};
}

// Of the job's own: a phase with its preconditions is one, layouts and entries of groups are none.
std::size_t count_skipped(const RunReport& report) {
  std::set<std::string> names;
  for (const PhaseReport& phase : report.phases) {
    const bool own = phase.kind == "measure" || phase.kind == "precondition" || phase.kind == "verify";
    if (own && phase.outcome == Outcome::skipped) names.insert(phase.name.substr(0, phase.name.find("/precondition/")));
  }
  return names.size();
}

std::string meaning_of(const RunReport& report, const Ending& ending) {
  const std::size_t skipped = count_skipped(report);
  if (report.exit_code != static_cast<int>(ExitCode::pass) || skipped == 0) return ending.meaning;
  return fmt::format("nothing failed; {} {} skipped", counted(skipped, "phase"), skipped == 1 ? "was" : "were");
}

std::string last_line(const RunReport& report, bool color) {
  const bool nothing = report.exit_code == static_cast<int>(ExitCode::pass) && report.outcome == Outcome::skipped;
  const Ending ending = nothing ? Ending{"SKIPPED", "nothing was measured", "\x1B[1;33m"} : ending_of(report.exit_code);
  const std::string word = color ? fmt::format("{}{}\x1B[0m", ending.color, ending.word) : ending.word;
  const std::string meaning = nothing ? ending.meaning : meaning_of(report, ending);
  return fmt::format("\n{}: {} (exit code {})\n", word, meaning, report.exit_code);
}

}  // namespace

std::string to_console(const RunReport& report, const ConsoleOptions& options) {
  std::string text = title(report) + phase_table(report, options.color);
  text += section("runs", repeats(report));
  text += section("groups", groups(report));
  text += section("preparation", steps(report, options.color));
  text += section("engines", engines_chosen(report));
  text += section("thresholds", thresholds(report, options.color));
  text += section("verification", faults(report));
  text += section("payload on the link", links(report));
  text += section("findings", findings(report));
  text += section("errors", errors(report, options.color));
  text += section("reports", written(options.written));
  return text + last_line(report, options.color);
}

}  // namespace diskproof
