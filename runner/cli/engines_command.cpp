// `diskproof engines [NAME]`.
#include <array>
#include <fmt/format.h>
#include <ostream>
#include <string_view>

#include "cli/commands.hpp"
#include "cli/engine_source.hpp"
#include "support/error.hpp"
#include "verdict/outcome.hpp"

namespace diskproof {
namespace {

struct BitName {
  std::uint64_t bit;
  std::string_view name;
};
constexpr std::array<BitName, 8> kCapabilities{{{DP_CAP_SYNC, "one I/O at a time per thread"},
                                                {DP_CAP_NO_TARGET, "virtual disks"},
                                                {DP_CAP_FILES, "files"},
                                                {DP_CAP_DEVICES, "devices"},
                                                {DP_CAP_URLS, "URLs"},
                                                {DP_CAP_NAMES, "names"},
                                                {DP_CAP_NAMES_BLOCK, "names by plain calls"},
                                                {DP_CAP_STAMPS, "stamps completions"}}};
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

// An engine that cannot be looked at is listed with the reason; nothing else of it is known.
EngineInfo look_at(EngineSource& source, const std::string& name) {
  try {
    return source.info(name);
  } catch (const Error& error) {
    EngineInfo info;
    info.name = name;
    info.version = "-";
    info.reason = error.what();
    return info;
  }
}

void print_table(EngineSource& source, std::ostream& out) {
  out << fmt::format("{:<10}  {:<8}  {:<9}  {}\n", "engine", "version", "available", "");
  for (const CatalogEntry& entry : source.catalog().entries()) {
    const EngineInfo info = look_at(source, entry.name);
    out << fmt::format("{:<10}  {:<8}  {:<9}  {}\n", info.name, info.version, info.available ? "yes" : "no",
                       info.available ? info.summary : info.reason);
  }
}

std::string option_text(const EngineOption& option) {
  std::string type(option_type_name(option.type));
  if (!option.choices.empty()) {
    type.clear();
    for (const std::string& choice : option.choices) type += (type.empty() ? "" : "|") + choice;
  }
  if (option.min != 0 || option.max != 0) type += fmt::format(" {}…{}", option.min, option.max);
  const std::string initial = option.default_value ? ", default " + *option.default_value : "";
  return fmt::format("  {} ({}{})\n      {}\n", option.name, type, initial, option.help);
}

void print_engine(const EngineInfo& info, std::ostream& out) {
  out << fmt::format("{} {}: {}\n", info.name, info.version, info.summary);
  out << "library:     " << info.path << '\n';
  out << "available:   " << (info.available ? "yes" : "no: " + info.reason) << '\n';
  out << "operations:  " << words(info.operations, kOperations) << '\n';
  out << "works on:    " << words(info.capabilities, kCapabilities) << '\n';
  out << "queue_depth: " << (info.max_depth == 0 ? "no limit of its own" : fmt::format("up to {}", info.max_depth))
      << '\n';
  out << (info.options.empty() ? "no options\n" : "options:\n");
  for (const EngineOption& option : info.options) out << option_text(option);
}

}  // namespace

int engines_command(const EnginesRequest& request, const Places& places, Terminal& terminal) {
  EngineSource source(places, request.engine_paths);
  if (!request.name.empty()) {
    print_engine(source.info(request.name), terminal.out);
    return 0;
  }
  if (source.catalog().entries().empty()) {
    throw Error(ErrorKind::unavailable, "there are no engines; is the installation complete? See --engine-path");
  }
  print_table(source, terminal.out);
  return 0;
}

}  // namespace diskproof
