// Every fixture in every format against the files in tests/golden. After an intended change of a format run the tests
// once with DISKPROOF_UPDATE_GOLDEN=1 in the environment, which writes the files anew, and read the difference in
// version control before committing it.
#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <functional>
#include <iterator>

#include "report/cdm_text.hpp"
#include "report/console_writer.hpp"
#include "report/json_reader.hpp"
#include "report/json_writer.hpp"
#include "report/junit_writer.hpp"
#include "unit/report/external_check.hpp"
#include "unit/report/fixtures.hpp"

namespace diskproof::testing {
namespace {

const std::filesystem::path kSource = DISKPROOF_SOURCE_DIR;

struct Format {
  std::string ending;
  std::function<std::string(const RunReport&)> write;
};

const std::vector<Format>& formats() {
  static const std::vector<Format> all{
      {"junit.xml", to_junit},
      {"result.json", to_result_json},
      {"cdm.txt", to_cdm_text},
      {"console.txt",
       [](const RunReport& report) {
         return to_console(report, {.color = false, .written = {"out/junit.xml", "out/result.json"}});
       }},
  };
  return all;
}

std::filesystem::path golden_path(const Fixture& fixture, const Format& format) {
  return kSource / "tests" / "golden" / (fixture.name + "." + format.ending);
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The first line that differs says more than two whole files.
std::string first_difference(const std::string& expected, const std::string& actual) {
  if (expected == actual) return "";
  const auto length = std::min(expected.size(), actual.size());
  std::size_t at = 0;
  while (at < length && expected[at] == actual[at]) ++at;
  const std::size_t start = at == 0 ? 0 : actual.rfind('\n', at - 1) + 1;
  const auto line = [start](const std::string& text) {
    return start < text.size() ? text.substr(start, text.find('\n', start) - start) : std::string("(end)");
  };
  return "expected: " + line(expected) + "\n  actual: " + line(actual);
}

TEST_CASE("golden: every report is the one on file") {
  const char* update = std::getenv("DISKPROOF_UPDATE_GOLDEN");
  for (const Fixture& fixture : fixtures()) {
    for (const Format& format : formats()) {
      const auto path = golden_path(fixture, format);
      const std::string actual = format.write(fixture.report);
      if (update && std::string(update) == "1") std::ofstream(path, std::ios::binary) << actual;
      CAPTURE(path.filename().string());
      CHECK(first_difference(read_file(path), actual) == "");
    }
  }
}

TEST_CASE("golden: result.json is enough to write every report again - byte for byte") {
  for (const Fixture& fixture : fixtures()) {
    CAPTURE(fixture.name);
    const RunReport again = from_result_json(to_result_json(fixture.report), "result.json");
    for (const Format& format : formats()) {
      CAPTURE(format.ending);
      CHECK(first_difference(format.write(fixture.report), format.write(again)) == "");
    }
  }
}

TEST_CASE("golden: every JUnit file is valid by schemas/junit.xsd") {
  for (const Fixture& fixture : fixtures()) {
    CAPTURE(fixture.name);
    const auto check = check_xml(golden_path(fixture, formats()[0]), kSource / "schemas" / "junit.xsd");
    if (!check.available) {
      MESSAGE("skipped: xmllint is not installed (package libxml2-utils)");
      return;
    }
    CAPTURE(check.output);
    CHECK(check.valid);
  }
}

TEST_CASE("golden: every result file is valid by schemas/result.schema.json") {
  std::vector<std::filesystem::path> files;
  for (const Fixture& fixture : fixtures()) files.push_back(golden_path(fixture, formats()[1]));
  const auto checks = check_json(files, kSource / "schemas" / "result.schema.json");
  for (std::size_t i = 0; i < files.size(); ++i) {
    CAPTURE(files[i].filename().string());
    if (!checks[i].available) {
      MESSAGE("skipped: jsonschema is not installed (package python3-jsonschema)");
      return;
    }
    CAPTURE(checks[i].output);
    CHECK(checks[i].valid);
  }
}

}  // namespace
}  // namespace diskproof::testing
