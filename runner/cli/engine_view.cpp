// The option table of an engine in the units that a job writes.
#include "cli/engine_view.hpp"

#include <array>
#include <fmt/format.h>
#include <string_view>

#include "engine/options.hpp"
#include "support/printable.hpp"
#include "support/units.hpp"

namespace diskproof {
namespace {

struct BitName {
  std::uint64_t bit;
  std::string_view name;
};
constexpr std::array<BitName, 5> kTargets{{{DP_CAP_NO_TARGET, "virtual disks"},
                                           {DP_CAP_FILES, "files"},
                                           {DP_CAP_DEVICES, "devices"},
                                           {DP_CAP_URLS, "URLs"},
                                           {DP_CAP_NAMES, "names"}}};
constexpr std::array<BitName, 3> kManners{{{DP_CAP_SYNC, "one I/O at a time per thread"},
                                           {DP_CAP_NAMES_BLOCK, "some operations on names by plain calls"},
                                           {DP_CAP_STAMPS, "stamps each completion with its own time"}}};
constexpr std::array<BitName, 6> kOperations{{{1u << DP_OP_READ, "read"},
                                              {1u << DP_OP_WRITE, "write"},
                                              {1u << DP_OP_TRIM, "trim"},
                                              {1u << DP_OP_FSYNC, "fsync"},
                                              {1u << DP_OP_FDATASYNC, "fdatasync"},
                                              {1u << DP_OP_WRITE_ZEROES, "write_zeroes"}}};

template <std::size_t N>
std::string words(std::uint64_t bits, const std::array<BitName, N>& names) {
  std::string text;
  for (const BitName& name : names) {
    if ((bits & name.bit) != 0) text += (text.empty() ? "" : ", ") + std::string(name.name);
  }
  return text;
}

std::string depth_text(const EngineInfo& info) {
  return info.max_depth == 0 ? "no limit of its own" : fmt::format("up to {}", info.max_depth);
}

std::string default_text(const EngineOption& option) {
  return option.default_value ? written_value(option, *option.default_value) : "";
}

std::string bound_text(const EngineOption& option, std::int64_t bound) {
  return written_value(option, std::to_string(bound));
}

std::string range_text(const EngineOption& option, const char* separator) {
  std::string text;
  for (const std::string& choice : option.choices) text += (text.empty() ? "" : separator) + choice;
  if (option.min != 0 || option.max != 0)
    text = fmt::format("{} … {}", bound_text(option, option.min), bound_text(option, option.max));
  return text;
}

const char* scope_text(dp_option_scope scope) {
  switch (scope) {
    case DP_SCOPE_TARGET:
      return "target";
    case DP_SCOPE_QUEUE:
      return "queue";
    case DP_SCOPE_ENGINE:
      break;
  }
  return "engine";
}

std::string option_text(const EngineOption& option) {
  const std::string range = range_text(option, " | "), initial = default_text(option);
  std::string facts(option_type_name(option.type));
  if (!range.empty()) facts += ": " + range;
  if (!initial.empty()) facts += ", default " + initial;
  facts += fmt::format(", per {}", scope_text(option.scope));
  if (option.secret) facts += ", never shown";
  return fmt::format("  {}\n      {}\n      ({})\n", option.name, option.help, facts);
}

// Inside a table a bar would end the cell.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

std::string code_cell(const std::string& text) { return text.empty() ? "" : "`" + cell(text) + "`"; }

std::string option_row(const EngineOption& option) {
  return fmt::format("| `{}` | {} | {} | {} | {} | {}{} |\n", option.name, option_type_name(option.type),
                     code_cell(default_text(option)), cell(range_text(option, ", ")), scope_text(option.scope),
                     cell(option.help), option.secret ? " (secret)" : "");
}

}  // namespace

std::string engine_text(const EngineInfo& info) {
  std::string text = fmt::format("{} {}: {}\n", info.name, info.version, info.summary);
  const auto add = [&](const char* what, const std::string& value) {
    if (!value.empty()) text += fmt::format("{:<13}{}\n", std::string(what) + ":", value);
  };
  add("library", info.path);
  add("available", info.available ? "yes" : "no: " + printable_line(info.reason));
  add("operations", words(info.operations, kOperations));
  add("works on", words(info.capabilities, kTargets));
  add("manner", words(info.capabilities, kManners));
  add("queue_depth", depth_text(info));
  text += info.options.empty() ? "no options\n" : "options:\n";
  for (const EngineOption& option : info.options) text += option_text(option);
  return printable(text);
}

std::string engine_page(const EngineInfo& info) {
  std::string text = fmt::format("## {}\n\n{}\n\n", info.name, info.summary);
  const auto add = [&](const char* what, const std::string& value) {
    if (!value.empty()) text += fmt::format("- *{}*: {}\n", what, value);
  };
  add("Works on", words(info.capabilities, kTargets));
  add("Operations", words(info.operations, kOperations));
  add("Queue depth", depth_text(info));
  add("Manner", words(info.capabilities, kManners));
  if (info.wait_granularity_ns != 0)
    add("Waits", fmt::format("until at most {} after their time", format_ns(info.wait_granularity_ns)));
  if (info.options.empty()) return text + "- *Options*: none\n\n";
  text += "\n| option | type | default | values | per | meaning |\n| --- | --- | --- | --- | --- | --- |\n";
  for (const EngineOption& option : info.options) text += option_row(option);
  return text + "\n";
}

}  // namespace diskproof
