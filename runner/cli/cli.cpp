// Dispatch of requests, and the last place where an error is caught.
#include "cli/cli.hpp"

#include <ostream>
#include <type_traits>

#include "support/printable.hpp"

namespace diskproof {
namespace {

struct Dispatch {
  Terminal& terminal;

  int operator()(const ShowText& request) const {
    terminal.out << request.text;
    return 0;
  }
  int operator()(const UsageError& request) const {
    terminal.complain(request.text);
    return static_cast<int>(ExitCode::bad_job);
  }
  int operator()(const RunRequest& request) const { return run_command(request, find_places(), terminal); }
  int operator()(const CheckRequest& request) const { return check_command(request, find_places(), terminal); }
  int operator()(const ShowPlanRequest& request) const { return plan_command(request, find_places(), terminal); }
  int operator()(const EnginesRequest& request) const { return engines_command(request, find_places(), terminal); }
  int operator()(const VerifyRequest& request) const { return verify_command(request, find_places(), terminal); }
  int operator()(const ReportRequest& request) const { return report_command(request, terminal); }
  int operator()(const PresetsRequest& request) const { return presets_command(request, find_places(), terminal); }
  int operator()(const SchemaRequest& request) const { return schema_command(request, find_places(), terminal); }
  int operator()(const DevicesRequest& request) const { return devices_command(request, terminal); }
  int operator()(const CleanupRequest& request) const { return cleanup_command(request, find_places(), terminal); }
};

}  // namespace

void Terminal::show(std::string_view text) { out << printable(text); }

void Terminal::complain(std::string_view text) { err << "diskproof: " << printable(text) << '\n'; }

ExitCode exit_code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::bad_job:
      return ExitCode::bad_job;
    case ErrorKind::refused:
      return ExitCode::refused;
    case ErrorKind::unavailable:
    case ErrorKind::failed:
      break;
  }
  return ExitCode::error;
}

int run_cli(const std::vector<std::string>& arguments, Terminal& terminal) {
  try {
    const int code = std::visit(Dispatch{terminal}, parse_args(arguments));
    terminal.out.flush();
    if (terminal.out) return code;
    // A verdict that could not be printed must not look like a pass; a failure stays what it is.
    terminal.complain("cannot write to stdout");
    return code == 0 ? static_cast<int>(ExitCode::error) : code;
  } catch (const Error& error) {
    terminal.complain(error.what());
    return static_cast<int>(exit_code_of(error.kind()));
  } catch (const std::exception& error) {
    terminal.complain(error.what());
    return static_cast<int>(ExitCode::error);
  }
}

}  // namespace diskproof
