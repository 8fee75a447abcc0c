// What people write for sizes, times and rates: what it means, and what is refused with which advice.
#include "support/units.hpp"

#include <doctest/doctest.h>
#include <limits>
#include <string>

using namespace diskproof;
using namespace std::chrono_literals;

namespace {

// A refused text and a part of the advice.
struct Refused {
  std::string text;
  std::string advice;
};

template <typename Parse, std::size_t N>
void check_refused(Parse parse, const Refused (&rows)[N]) {
  for (const Refused& row : rows) {
    CAPTURE(row.text);
    const auto result = parse(row.text);
    CHECK_FALSE(result);
    CAPTURE(result.error);
    CHECK(result.error.find(row.advice) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("units: sizes are exact numbers of bytes") {
  struct Row {
    std::string text;
    std::uint64_t bytes;
  };
  const Row rows[]{{"0B", 0},
                   {"1B", 1},
                   {"512B", 512},
                   {"4kB", 4000},
                   {"4KiB", 4096},
                   {"010KiB", 10240},
                   {"1MB", 1000000},
                   {"1MiB", 1048576},
                   {"1GB", 1000000000},
                   {"1GiB", 1073741824},
                   {"1TB", 1000000000000},
                   {"1TiB", 1099511627776},
                   {"1.5KiB", 1536},
                   {"0.5kB", 500},
                   {"1.50MB", 1500000},
                   {"0.001kB", 1},
                   {"2.000B", 2},
                   {"0.0009765625KiB", 1},
                   {"0.125GiB", 134217728},
                   {"18446744073709551615B", 18446744073709551615ull},
                   {"16777215TiB", 16777215ull << 40},
                   {"18446744073709551.615kB", 18446744073709551615ull}};
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const auto size = parse_size(row.text);
    CAPTURE(size.error);
    REQUIRE(size);
    CHECK(*size == row.bytes);
  }
}

TEST_CASE("units: sizes that are ambiguous, inexact or too large are refused with advice") {
  const Refused rows[]{{"", "write for example 4KiB"},
                       {"4096", "write 4096B or 4096KiB"},
                       {"4k", "write 4kB (1000-based) or 4KiB (1024-based)"},
                       {"4K", "write 4kB (1000-based) or 4KiB (1024-based)"},
                       {"1M", "write 1MB (1000-based) or 1MiB (1024-based)"},
                       {"1g", "write 1GB (1000-based) or 1GiB (1024-based)"},
                       {"4KB", "4kB (1000-based) or 4KiB (1024-based)"},
                       {"4kib", "4kB (1000-based) or 4KiB (1024-based)"},
                       {"4mb", "4MB (1000-based) or 4MiB (1024-based)"},
                       {"1t", "1TB (1000-based) or 1TiB (1024-based)"},
                       {"600TX", "unknown unit 'TX'; known are B kB MB"},
                       {"4 KiB", "space before its unit"},
                       {"-1KiB", "has a sign"},
                       {"+1KiB", "has a sign"},
                       {".5KiB", "needs a digit before the point"},
                       {"1.KiB", "unknown unit '.KiB'"},
                       {"1e3B", "unknown unit 'e3B'"},
                       {"0x10B", "unknown unit 'x10B'"},
                       {"1_000B", "unknown unit '_000B'"},
                       {"KiB", "not a number with a unit"},
                       {"4KiB ", "unknown unit 'KiB '"},
                       {"0.5B", "not a whole number of bytes"},
                       {"1.0001kB", "not a whole number of bytes"},
                       {"0.0000000000000000001TiB", "not a whole number of bytes"},
                       {"18446744073709551616B", "too large"},
                       {"16777216TiB", "too large"},
                       {"18446744073709551616TiB", "too large"},
                       {"99999999999999999999999999999999KiB", "too large"},
                       {"9999999999999999999999999999999999999999999999999999KiB", "not a number with a unit"}};
  check_refused(parse_size, rows);
}

TEST_CASE("units: durations are exact numbers of nanoseconds") {
  struct Row {
    std::string text;
    Nanoseconds time;
  };
  const Row rows[]{{"0s", 0ns},
                   {"1ns", 1ns},
                   {"5us", 5us},
                   {"1.5us", 1500ns},
                   {"20ms", 20ms},
                   {"2s", 2s},
                   {"0.25s", 250ms},
                   {"010s", 10s},
                   {"2min", 2min},
                   {"1.5min", 90s},
                   {"24h", 24h},
                   {"0.5h", 30min},
                   {"9223372036s", 9223372036s}};
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const auto time = parse_duration(row.text);
    REQUIRE(time);
    CHECK(*time == row.time);
  }
}

TEST_CASE("units: durations without a clear unit or beyond 292 years are refused") {
  const Refused rows[]{{"", "write for example 500ms"},
                       {"10", "write 10s or 10ms"},
                       {"5m", "write 5min or 5ms"},
                       {"5sec", "known are ns us ms s min h"},
                       {"5S", "unknown unit 'S'"},
                       {"1d", "unknown unit 'd'"},
                       {"0.5ns", "not a whole number of nanoseconds"},
                       {"-1s", "has a sign"},
                       {"1 s", "space before its unit"},
                       {"9223372037s", "too long"},
                       {"99999999999999999999h", "too long"},
                       {"inf", "not a number with a unit"}};
  check_refused(parse_duration, rows);
}

TEST_CASE("units: bandwidths are bytes per second") {
  struct Row {
    std::string text;
    double bytes_per_second;
  };
  const Row rows[]{{"500MB/s", 5e8},   {"1MiB/s", 1048576},   {"8bit/s", 1},      {"10Gbit/s", 1.25e9},
                   {"1.5GB/s", 1.5e9}, {"100Mbit/s", 1.25e7}, {"64KiB/s", 65536}, {"0B/s", 0}};
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const auto bandwidth = parse_bandwidth(row.text);
    REQUIRE(bandwidth);
    CHECK(*bandwidth == row.bytes_per_second);
  }
  const Refused refused[]{{"500", "write 500MB/s or 500MiB/s"},
                          {"500MB", "lacks '/s'; write 500MB/s"},
                          {"500M/s", "500MB/s (1000-based) or 500MiB/s (1024-based)"},
                          {"10gbit/s", "is not a bandwidth"},
                          {"10Gb/s", "10GB/s (1000-based) or 10GiB/s (1024-based)"},
                          {"10MBps", "is not a bandwidth"},
                          {"/s", "not a number with a unit"}};
  check_refused(parse_bandwidth, refused);
}

TEST_CASE("units: percentages need their sign") {
  CHECK(*parse_percent("95%") == 95);
  CHECK(*parse_percent("0.5%") == 0.5);
  CHECK(*parse_percent("100%") == 100);
  CHECK(*parse_percent("150%") == 150);
  const Refused rows[]{{"95", "write 95%"},
                       {"0.95", "write 0.95%"},
                       {"95 %", "not a percentage"},
                       {"%", "not a number"},
                       {"-5%", "has a sign"}};
  check_refused(parse_percent, rows);
}

TEST_CASE("units: whole numbers are decimal") {
  CHECK(*parse_integer("010") == 10);
  CHECK(*parse_integer("08") == 8);
  CHECK(*parse_integer("0") == 0);
  CHECK(*parse_integer("18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
  const Refused rows[]{{"0x1F", "hexadecimal are not read"},
                       {"0o17", "octal"},
                       {"1e3", "not a decimal whole number"},
                       {"1_000", "not a decimal"},
                       {"-1", "not a decimal"},
                       {"1.0", "not a decimal"},
                       {"", "not a decimal"},
                       {" 1", "not a decimal"},
                       {"18446744073709551616", "too large"}};
  check_refused(parse_integer, rows);
}

TEST_CASE("units: plain numbers have no exponent, sign or special value") {
  CHECK(*parse_number("0.5") == 0.5);
  CHECK(*parse_number("30000") == 30000);
  const Refused rows[]{{"1e3", "plain decimal"},  {".inf", "plain decimal"}, {"nan", "plain decimal"},
                       {"-1", "plain decimal"},   {"", "plain decimal"},     {"1.", "plain decimal"},
                       {"0x10", "plain decimal"}, {"1,5", "plain decimal"}};
  check_refused(parse_number, rows);
}

TEST_CASE("units: bytes are shown with binary prefixes and three figures") {
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_bytes(1023) == "1023 B");
  CHECK(format_bytes(1024) == "1 KiB");
  CHECK(format_bytes(1536) == "1.5 KiB");
  CHECK(format_bytes(10ull << 30) == "10 GiB");
  CHECK(format_bytes(1000ull << 30) == "1000 GiB");
  CHECK(format_bytes(std::numeric_limits<std::uint64_t>::max()) == "16 EiB");
}

TEST_CASE("units: bandwidth is shown with decimal prefixes") {
  CHECK(format_bandwidth(0) == "0 B/s");
  CHECK(format_bandwidth(999.4) == "999 B/s");
  CHECK(format_bandwidth(999.9) == "1 kB/s");
  CHECK(format_bandwidth(5.123e8) == "512 MB/s");
  CHECK(format_bandwidth(1.25e9) == "1.25 GB/s");
  CHECK(format_bandwidth(std::numeric_limits<double>::quiet_NaN()) == "-");
}

TEST_CASE("units: durations are shown in the unit that fits") {
  CHECK(format_duration(0ns) == "0 ns");
  CHECK(format_duration(950ns) == "950 ns");
  CHECK(format_duration(85'300ns) == "85.3 us");
  CHECK(format_duration(5ms) == "5 ms");
  CHECK(format_duration(60s) == "60 s");
  CHECK(format_duration(150s) == "2 min 30 s");
  CHECK(format_duration(3min) == "3 min");
  CHECK(format_duration(2h) == "2 h");
  CHECK(format_duration(125min) == "2 h 5 min");
  CHECK(format_duration(-5ms) == "-5 ms");
  CHECK(format_duration(Nanoseconds::max()) == "2562047 h 47 min");
}

TEST_CASE("units: counts keep their figures until ten million") {
  CHECK(format_count(0) == "0");
  CHECK(format_count(1.234) == "1.23");
  CHECK(format_count(99.9) == "99.9");
  CHECK(format_count(999.6) == "1,000");
  CHECK(format_count(29871) == "29,871");
  CHECK(format_count(1234567) == "1,234,567");
  CHECK(format_count(12'345'678) == "12.3 M");
  CHECK(format_count(-29871) == "-29,871");
  CHECK(format_count(std::numeric_limits<double>::infinity()) == "-");
}
