// schemas/junit.xsd is strict enough to catch a writer's mistakes; that it accepts what we write, the goldens show.
#include <cstring>
#include <doctest/doctest.h>
#include <string>

#include "report/junit_writer.hpp"
#include "unit/report/external_check.hpp"
#include "unit/report/fixtures.hpp"

namespace diskproof::testing {
namespace {

TEST_CASE("junit: the schema refuses what a careless writer would produce") {
  struct Row {
    const char *name, *from, *to;
  };
  const Row rows[] = {
      {"failure and error in one case", "</failure>", "</failure><error type=\"NotMeasured\" message=\"m\">m</error>"},
      {"output before the failure", "<failure", "<system-out>o</system-out><failure"},
      {"properties inside a case", "name=\"runs\" time=\"0.750\" />",
       "name=\"runs\" time=\"0.750\"><properties/></testcase>"},
      {"exponent in a time", "time=\"9.250\"", "time=\"1e1\""},
      {"negative time", "time=\"9.250\"", "time=\"-9.250\""},
      {"time zone", "timestamp=\"2026-11-30T12:00:00\"", "timestamp=\"2026-11-30T12:00:00Z\""},
      {"unknown type of failure", "type=\"ThresholdExceeded\"", "type=\"Oops\""},
      {"no message", "message=\"read.latency.p99.9 was 24 ms, required at most 20 ms\"", ""},
      {"no count", " skipped=\"0\"", ""},
      {"signed count", "tests=\"9\"", "tests=\"+9\""},
      {"class name without a dot", "classname=\"acceptance.mixed\"", "classname=\"mixed\""},
      {"same case twice", "name=\"disk data\"", "name=\"run\""},
      {"stray text", "<testsuite name=\"mixed\"", "text<testsuite name=\"mixed\""},
      {"unknown attribute", "<property name=\"job\"", "<property unit=\"s\" name=\"job\""},
  };
  const std::filesystem::path schema = std::filesystem::path(DISKPROOF_SOURCE_DIR) / "schemas" / "junit.xsd";
  const std::string valid = to_junit(fixture("fail.exit1"));
  for (const Row& row : rows) {
    CAPTURE(std::string(row.name));
    std::string text = valid;
    const std::size_t at = text.find(row.from);
    REQUIRE(at != std::string::npos);
    text.replace(at, std::strlen(row.from), row.to);
    const TemporaryFile file("junit.xml", text);
    const ExternalCheck check = check_xml(file.path(), schema);
    if (!check.available) {
      MESSAGE("skipped: xmllint is not installed (package libxml2-utils)");
      return;
    }
    CHECK(!check.valid);
    CHECK(check.output.find("validity error") != std::string::npos);
  }
}

}  // namespace
}  // namespace diskproof::testing
