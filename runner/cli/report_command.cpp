// `diskproof report RESULT [--format F]`: any report of a run again, from its result.json.
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <ostream>

#include "cli/commands.hpp"
#include "report/cdm_text.hpp"
#include "report/console_writer.hpp"
#include "report/json_reader.hpp"
#include "report/json_writer.hpp"
#include "report/junit_writer.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"
#include "support/regular_file.hpp"

namespace diskproof {
namespace fs = std::filesystem;
namespace {

// RESULT is a result.json, or the folder of a run.
fs::path result_file(const std::string& result) {
  const fs::path path = path_from(result);
  std::error_code error;
  return fs::is_directory(path, error) ? path / "result.json" : path;
}

std::string read_result(const fs::path& path) {
  try {
    return read_file(text_of(path));
  } catch (const Error& error) {
    throw Error(ErrorKind::failed, std::string(error.what()) + "; give the result.json of a run, or its folder");
  }
}

}  // namespace

int report_command(const ReportRequest& request, Terminal& terminal) {
  const fs::path path = result_file(request.result);
  const RunReport report = from_result_json(read_result(path), text_of(path));
  if (request.format == "junit") {
    terminal.out << to_junit(report);
  } else if (request.format == "json") {
    terminal.out << to_result_json(report);
  } else if (request.format == "cdm") {
    terminal.show(to_cdm_text(report));
  } else {
    terminal.out << to_console(report, {.color = terminal.interactive, .written = {}});
  }
  return 0;
}

}  // namespace diskproof
