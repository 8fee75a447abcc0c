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
constexpr std::size_t kEngineWidth = 8;
constexpr std::size_t kDirectionWidth = 5;
constexpr std::size_t kMaxNameWidth = 18;  // a longer name stands on a line of its own

std::string cell(const PhaseReport& phase, const std::string& metric) {
  const auto value = phase.metrics.find(metric);
  if (!value) return "-";
  std::string text = metric_text(metric, *value);
  if (text.ends_with("/s") && metric.ends_with(".iops")) text.resize(text.size() - 2);  // the heading says it
  return text;
}

// The directions that the phase moved data in; one empty name when nothing was measured.
std::vector<std::string> directions_of(const PhaseReport& phase) {
  std::vector<std::string> directions;
  for (const char* name : {"read", "write", "trim"}) {
    const auto at_work = [&](const char* metric) {
      return phase.metrics.find(std::string(name) + metric).value_or(0) > 0;
    };
    if (at_work(".operations") || at_work(".errors")) directions.emplace_back(name);
  }
  if (directions.empty()) directions.emplace_back("-");
  return directions;
}

std::string numbers(const PhaseReport& phase, const std::string& direction) {
  std::string row = pad_right(direction, kDirectionWidth);
  for (const Column& column : kNumbers) row += "  " + pad_left(cell(phase, direction + column.metric), column.width);
  return row;
}

std::string heading(std::size_t name_width) {
  std::string row = pad_right("phase", name_width) + "  " + pad_right("engine", kEngineWidth) + "  " +
                    pad_right("op", kDirectionWidth);
  for (const Column& column : kNumbers) row += "  " + pad_left(column.title, column.width);
  return row + "  outcome\n";
}

std::string phase_rows(const PhaseReport& phase, std::size_t name_width, bool color) {
  std::string text;
  std::string name = one_line(phase.name);
  if (display_width(name) > name_width) {
    text += name + "\n";
    name.clear();
  }
  std::string engine = phase.engine.empty() ? "-" : one_line(phase.engine);
  std::string outcome = "  " + outcome_word(phase.outcome, color);
  for (const std::string& direction : directions_of(phase)) {
    text += pad_right(name, name_width) + "  " + pad_right(engine, kEngineWidth) + "  " + numbers(phase, direction) +
            outcome + "\n";
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
  std::size_t name_width = 5;
  for (const PhaseReport& phase : report.phases) name_width = std::max(name_width, display_width(one_line(phase.name)));
  name_width = std::min(name_width, kMaxNameWidth);
  std::string text = heading(name_width);
  for (const PhaseReport& phase : report.phases) text += phase_rows(phase, name_width, color);
  return text;
}

}  // namespace diskproof
