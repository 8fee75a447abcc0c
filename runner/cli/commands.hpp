// One function per command. Each returns the exit code; what ends it early is thrown as Error and printed by run_cli.
#pragma once

#include <iosfwd>
#include <string_view>

#include "cli/args.hpp"
#include "cli/places.hpp"

namespace diskproof {

// Where a command prints: `out` is for what was asked for, `err` for what went wrong.
struct Terminal {
  std::ostream& out;
  std::ostream& err;
  bool interactive = false;  // a person watches `out`

  // Text in which job, paths or engines have a word: nothing in it can command the terminal.
  void show(std::string_view text);
  void complain(std::string_view text);  // one line or more, after the program's name
};

int run_command(const RunRequest& request, const Places& places, Terminal& terminal);
int check_command(const CheckRequest& request, const Places& places, Terminal& terminal);
int plan_command(const ShowPlanRequest& request, const Places& places, Terminal& terminal);
int engines_command(const EnginesRequest& request, const Places& places, Terminal& terminal);
int verify_command(const VerifyRequest& request, const Places& places, Terminal& terminal);
int report_command(const ReportRequest& request, Terminal& terminal);
int presets_command(const PresetsRequest& request, const Places& places, Terminal& terminal);
int schema_command(const SchemaRequest& request, const Places& places, Terminal& terminal);
int devices_command(const DevicesRequest& request, Terminal& terminal);
int cleanup_command(const CleanupRequest& request, const Places& places, Terminal& terminal);

}  // namespace diskproof
