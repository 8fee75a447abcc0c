// Rows and columns of the phase table. A cell without a measurement shows a dash, never a zero.
#include "report/console_table.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "report/columns.hpp"
#include "report/facts.hpp"
#include "report/run_report.hpp"

namespace diskproof {
namespace {

struct Column {
  const char* title;
  const char* metric;  // after the direction
  std::size_t width;
};

constexpr std::array kNumbers{
    Column{"IOPS", ".iops", 9},       Column{"bandwidth", ".bandwidth", 9}, Column{"mean", ".latency.mean", 7},
    Column{"p50", ".latency.p50", 7}, Column{"p99", ".latency.p99", 7},     Column{"max", ".latency.max", 7},
    Column{"errors", ".errors", 6},
};
constexpr std::size_t kDirectionWidth = 5;

// Phase and engine columns are as wide as this run needs, as far as the line has room for it.
struct Widths {
  std::size_t name = 5, engine = 6;
};

Widths widths_of(const RunReport& report) {
  Widths widths;
  std::size_t outcome = 7;  // the heading
  for (const PhaseReport& phase : report.phases) {
    widths.name = std::max(widths.name, display_width(one_line(phase.name)));
    widths.engine = std::max(widths.engine, display_width(one_line(phase.engine)));
    outcome = std::max(outcome, outcome_word(phase.outcome, false).size());
  }
  std::size_t others = 2 + widths.engine + 1 + kDirectionWidth + 2 + outcome;
  for (const Column& column : kNumbers) others += 1 + column.width;
  const std::size_t room = others < kTerminalColumns ? kTerminalColumns - others : 0;
  widths.name = std::min(widths.name, std::max<std::size_t>(room, 5));
  return widths;
}

std::string cell(const PhaseReport& phase, const std::string& metric) {
  const auto value = phase.metrics.find(metric);
  if (!value) return "-";
  std::string text = metric_text(metric, *value);
  if (text.ends_with("/s") && metric.ends_with(".iops")) text.resize(text.size() - 2);  // the heading says it
  return text;
}

// The directions that the phase moved data in, and its flushes (those of a layout say nothing); one empty name when
// nothing was measured.
std::vector<std::string> directions_of(const PhaseReport& phase) {
  std::vector<std::string> directions;
  for (const std::string_view name : {"read", "write", "trim", "sync"}) {
    if (name == "sync" && phase.kind == "layout") continue;
    const auto at_work = [&](const char* metric) {
      return phase.metrics.find(std::string(name) + metric).value_or(0) > 0;
    };
    if (at_work(".operations") || at_work(".errors")) directions.emplace_back(name);
  }
  if (directions.empty()) directions.emplace_back("-");
  return directions;
}

std::string row(const Widths& widths, std::string_view name, std::string_view engine, std::string_view direction) {
  return pad_right(name, widths.name) + "  " + pad_right(engine, widths.engine) + " " +
         pad_right(direction, kDirectionWidth);
}

std::string heading(const Widths& widths) {
  std::string text = row(widths, "phase", "engine", "op");
  for (const Column& column : kNumbers) text += " " + pad_left(column.title, column.width);
  return text + "  outcome\n";
}

std::string phase_rows(const PhaseReport& phase, const Widths& widths, bool color) {
  std::string text;
  std::string name = one_line(phase.name);
  if (display_width(name) > widths.name) {  // on a line of its own
    text += name + "\n";
    name.clear();
  }
  std::string engine = phase.engine.empty() ? "-" : one_line(phase.engine);
  std::string outcome = "  " + outcome_word(phase.outcome, color);
  for (const std::string& direction : directions_of(phase)) {
    text += row(widths, name, engine, direction);
    for (const Column& column : kNumbers) text += " " + pad_left(cell(phase, direction + column.metric), column.width);
    text += outcome + "\n";
    name.clear(), engine.clear(), outcome.clear();
  }
  return text;
}

}  // namespace

std::string outcome_word(Outcome outcome, bool color) {
  struct Look {
    const char *word, *start;
  };
  const auto look = [&]() -> Look {
    switch (outcome) {
      case Outcome::pass:
        return {"pass", "\x1B[32m"};
      case Outcome::fail:
        return {"FAIL", "\x1B[1;31m"};
      case Outcome::inconclusive:
        return {"INCONCLUSIVE", "\x1B[1;33m"};
      case Outcome::skipped:
        return {"skipped", "\x1B[2m"};
      case Outcome::error:
        break;
    }
    return {"ERROR", "\x1B[1;31m"};
  }();
  return color ? std::string(look.start) + look.word + "\x1B[0m" : look.word;
}

std::string phase_table(const RunReport& report, bool color) {
  const Widths widths = widths_of(report);
  std::string text = heading(widths);
  for (const PhaseReport& phase : report.phases) text += phase_rows(phase, widths, color);
  return text;
}

}  // namespace diskproof
