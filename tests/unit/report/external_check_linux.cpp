// The shell runs constant commands; file names are made here and need no quoting beyond single quotes.
#include <array>
#include <cstdio>
#include <sstream>

#include "unit/report/external_check.hpp"

namespace diskproof::testing {
namespace {

struct Finished {
  int status = -1;
  std::string output;
};

Finished run(const std::string& command) {
  Finished finished;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return finished;
  std::array<char, 4096> buffer{};
  while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe))
    finished.output.append(buffer.data(), size);
  finished.status = ::pclose(pipe);
  return finished;
}

std::string quoted(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

// The distribution's Python, which has the distribution's modules.
const std::string kPython = "/usr/bin/python3 -W ignore -c ";

// A line per file: empty when it is valid, else the first error.
constexpr const char* kJsonScript =
    "import json, sys, jsonschema\n"
    "schema = json.load(open(sys.argv[1], encoding=\"utf-8\"))\n"
    "jsonschema.Draft7Validator.check_schema(schema)\n"
    "validator = jsonschema.Draft7Validator(schema)\n"
    "for name in sys.argv[2:]:\n"
    "    error = next(validator.iter_errors(json.load(open(name, encoding=\"utf-8\"))), None)\n"
    "    print(\"\" if error is None else ascii(error.message)[:300])\n";

}  // namespace

ExternalCheck check_xml(const std::filesystem::path& file, const std::filesystem::path& schema) {
  if (run("xmllint --version").status != 0) return {};
  const Finished finished = run("xmllint --nonet --noout --schema " + quoted(schema) + " " + quoted(file));
  return {true, finished.status == 0, finished.output};
}

std::vector<ExternalCheck> check_json(const std::vector<std::filesystem::path>& files,
                                      const std::filesystem::path& schema) {
  std::vector<ExternalCheck> checks(files.size());
  if (run(kPython + "'import jsonschema'").status != 0) return checks;
  std::string command = kPython + "'" + kJsonScript + "' " + quoted(schema);
  for (const auto& file : files) command += " " + quoted(file);
  const Finished finished = run(command);
  std::istringstream lines(finished.output);
  for (ExternalCheck& check : checks) {
    check.available = true;
    const bool answered = finished.status == 0 && std::getline(lines, check.output);
    check.valid = answered && check.output.empty();
    if (!answered) check.output = finished.output;
  }
  return checks;
}

}  // namespace diskproof::testing
