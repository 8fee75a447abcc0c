// `diskproof engines [NAME]`.
#include <fmt/format.h>
#include <ostream>

#include "cli/commands.hpp"
#include "cli/engine_source.hpp"
#include "cli/engine_view.hpp"
#include "support/error.hpp"
#include "support/printable.hpp"
#include "verdict/outcome.hpp"

namespace diskproof {
namespace {

// An engine that cannot be looked at is listed with the reason; nothing else of it is known.
EngineInfo probe_named(EngineSource& source, const std::string& name) {
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
    const EngineInfo info = probe_named(source, entry.name);
    out << fmt::format("{:<10}  {:<8}  {:<9}  {}\n", info.name, info.version, info.available ? "yes" : "no",
                       printable_line(info.available ? info.summary : info.reason));
  }
}

// One that cannot be looked at is complained of, and does not keep the others from being printed.
int print_pages(EngineSource& source, Terminal& terminal) {
  ExitCode code = ExitCode::pass;
  for (const CatalogEntry& entry : source.catalog().entries()) {
    try {
      terminal.out << engine_page(source.info(entry.name));
    } catch (const Error& error) {
      terminal.complain(error.what());
      code = ExitCode::error;
    }
  }
  return static_cast<int>(code);
}

}  // namespace

int engines_command(const EnginesRequest& request, const Places& places, Terminal& terminal) {
  EngineSource source(places, request.engine_paths);
  if (!request.name.empty()) {
    const EngineInfo& info = source.info(request.name);
    terminal.out << (request.markdown ? engine_page(info) : engine_text(info));
    return 0;
  }
  if (source.catalog().entries().empty()) {
    throw Error(ErrorKind::unavailable, "there are no engines; is the installation complete? See --engine-path");
  }
  if (request.markdown) {
    return print_pages(source, terminal);
  }
  print_table(source, terminal.out);
  return 0;
}

}  // namespace diskproof
