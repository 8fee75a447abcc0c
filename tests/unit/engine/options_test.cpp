// Engine options of a job: canonical forms, bounds, and texts that help.
#include "engine/options.hpp"

#include <doctest/doctest.h>
#include <string>

using namespace diskproof;

namespace {

EngineOption make(dp_option_type type, std::int64_t min = 0, std::int64_t max = 0) {
  EngineOption option;
  option.name = "value";
  option.help = "what it does";
  option.type = type;
  option.min = min;
  option.max = max;
  if (type == DP_OPTION_ENUM) option.choices = {"mmap", "malloc", "huge"};
  return option;
}

EngineInfo engine() {
  EngineInfo info;
  info.name = "acme";
  EngineOption chunk = make(DP_OPTION_SIZE);
  chunk.name = "chunk_size";
  chunk.default_value = "65536";
  EngineOption secret = make(DP_OPTION_INTEGER);
  secret.name = "pin";
  secret.secret = true;
  info.options = {chunk, secret};
  return info;
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("engine options: values become canonical") {
  struct Row {
    dp_option_type type;
    const char* text;
    const char* canonical;
  };
  for (const Row& row :
       {Row{DP_OPTION_BOOL, "true", "true"}, Row{DP_OPTION_BOOL, "false", "false"}, Row{DP_OPTION_INTEGER, "010", "10"},
        Row{DP_OPTION_SIZE, "4KiB", "4096"}, Row{DP_OPTION_SIZE, "1.5kB", "1500"},
        Row{DP_OPTION_DURATION, "5ms", "5000000"}, Row{DP_OPTION_NUMBER, "0.25", "0.25"},
        Row{DP_OPTION_BANDWIDTH, "40MB/s", "40000000"}, Row{DP_OPTION_BANDWIDTH, "1GiB/s", "1073741824"},
        Row{DP_OPTION_BANDWIDTH, "8Mbit/s", "1000000"}, Row{DP_OPTION_STRING, "a b|c", "a b|c"},
        Row{DP_OPTION_STRING, "", ""}, Row{DP_OPTION_ENUM, "huge", "huge"}}) {
    CAPTURE(row.text);
    const auto value = canonical_value(make(row.type), row.text);
    REQUIRE(value);
    CHECK(*value == row.canonical);
    CHECK(canonical_fault(make(row.type), *value).empty());
  }
}

TEST_CASE("engine options: what does not fit its type is refused with a reason") {
  struct Row {
    dp_option_type type;
    std::string text;
    const char* reason;
  };
  for (const Row& row :
       {Row{DP_OPTION_BOOL, "yes", "true or false"}, Row{DP_OPTION_INTEGER, "4k", ""}, Row{DP_OPTION_INTEGER, "-1", ""},
        Row{DP_OPTION_INTEGER, "", ""}, Row{DP_OPTION_INTEGER, "99999999999999999999", ""},
        Row{DP_OPTION_INTEGER, "18446744073709551615", "too large"}, Row{DP_OPTION_SIZE, "4096", ""},
        Row{DP_OPTION_DURATION, "5", ""}, Row{DP_OPTION_NUMBER, "1e5", ""},
        Row{DP_OPTION_BANDWIDTH, "40MB", "lacks '/s'"}, Row{DP_OPTION_BANDWIDTH, "4000", "has no unit"},
        Row{DP_OPTION_BANDWIDTH, "1.5B/s", "no whole number of bytes per second"},
        Row{DP_OPTION_ENUM, "hugee", "did you mean huge?"}, Row{DP_OPTION_ENUM, "", "mmap, malloc, huge"},
        Row{DP_OPTION_STRING, std::string("a\0b", 3), "NUL"}}) {
    CAPTURE(row.text);
    const auto value = canonical_value(make(row.type), row.text);
    CHECK_FALSE(value);
    CHECK_FALSE(value.error.empty());
    CHECK(has(value.error, row.reason));
  }
}

TEST_CASE("engine options: bounds are inclusive and named") {
  CHECK(canonical_value(make(DP_OPTION_INTEGER, 1, 8), "1"));
  CHECK(canonical_value(make(DP_OPTION_INTEGER, 1, 8), "8"));
  CHECK(has(canonical_value(make(DP_OPTION_INTEGER, 1, 8), "9").error, "9 is not between 1 and 8"));
  CHECK(has(canonical_value(make(DP_OPTION_SIZE, 512, 4096), "8KiB").error, "4096 bytes"));
  CHECK(has(canonical_value(make(DP_OPTION_DURATION, 0, 1000), "1ms").error, "1000 ns"));
  CHECK(has(canonical_value(make(DP_OPTION_BANDWIDTH, 1, 1000), "1MB/s").error, "1000 bytes/s"));
  const auto negative = canonical_value(make(DP_OPTION_INTEGER, -20, 19), "-20");
  REQUIRE(negative);
  CHECK(*negative == "-20");
  CHECK_FALSE(canonical_value(make(DP_OPTION_INTEGER, -20, 19), "-21"));
}

TEST_CASE("engine options: a value is written back in the largest unit that leaves it whole") {
  struct Row {
    dp_option_type type;
    const char *canonical, *written;
  };
  for (const Row& row :
       {Row{DP_OPTION_SIZE, "4096", "4KiB"}, Row{DP_OPTION_SIZE, "1000", "1kB"}, Row{DP_OPTION_SIZE, "1001", "1001B"},
        Row{DP_OPTION_SIZE, "800000000", "800MB"}, Row{DP_OPTION_DURATION, "1500000", "1500us"},
        Row{DP_OPTION_DURATION, "0", "0"}, Row{DP_OPTION_BANDWIDTH, "40000000", "40MB/s"},
        Row{DP_OPTION_BANDWIDTH, "1073741824", "1GiB/s"}, Row{DP_OPTION_INTEGER, "4096", "4096"},
        Row{DP_OPTION_BOOL, "true", "true"}, Row{DP_OPTION_STRING, "10s of it", "10s of it"}}) {
    CAPTURE(row.canonical);
    CHECK(written_value(make(row.type), row.canonical) == row.written);
  }
}

TEST_CASE("engine options: a canonical value has no unit and no leading zero") {
  CHECK(canonical_fault(make(DP_OPTION_SIZE), "4096").empty());
  CHECK_FALSE(canonical_fault(make(DP_OPTION_SIZE), "4KiB").empty());
  CHECK_FALSE(canonical_fault(make(DP_OPTION_INTEGER), "010").empty());
  CHECK_FALSE(canonical_fault(make(DP_OPTION_DURATION, 0, 10), "11").empty());
}

TEST_CASE("engine options: defaults are filled in and given ones replace them") {
  const auto plain = resolve_options(engine(), {});
  CHECK(plain.faults.empty());
  CHECK(plain.values == std::map<std::string, std::string>{{"chunk_size", "65536"}});
  const auto given = resolve_options(engine(), {{"chunk_size", "1MiB"}, {"pin", "7"}});
  CHECK(given.faults.empty());
  CHECK(given.values == std::map<std::string, std::string>{{"chunk_size", "1048576"}, {"pin", "7"}});
}

TEST_CASE("engine options: every fault is reported, secrets are not repeated") {
  const auto resolved =
      resolve_options(engine(), {{"chunk_siez", "1MiB"}, {"chunk_size", "12"}, {"pin", "s3cret"}, {"zzz", "1"}});
  REQUIRE(resolved.faults.size() == 4);
  CHECK(has(resolved.faults[0].message, "acme has no option chunk_siez"));
  CHECK(has(resolved.faults[0].hint, "did you mean chunk_size?"));
  CHECK(resolved.faults[1].key == "chunk_size");
  CHECK(resolved.faults[2].key == "pin");
  CHECK_FALSE(has(resolved.faults[2].message, "s3cret"));
  CHECK(has(resolved.faults[3].hint, "chunk_size, pin"));
  EngineInfo bare;
  bare.name = "bare";
  CHECK(has(resolve_options(bare, {{"x", "1"}}).faults.at(0).hint, "no options"));
}
