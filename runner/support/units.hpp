// Sizes, durations, bandwidths, percentages and numbers as people write them: exact parsers that refuse what is
// ambiguous, and the formats of the terminal view. The job file and the command line use the same ones.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace diskproof {

using Nanoseconds = std::chrono::nanoseconds;

// A value, or one line saying why the text is none and what to write instead.
template <typename T>
struct Parsed {
  std::optional<T> value;
  std::string error;

  explicit operator bool() const noexcept { return value.has_value(); }
  // Only after a check, as with std::optional.
  const T& operator*() const { return *value; }  // NOLINT(bugprone-unchecked-optional-access)

  static Parsed ok(T parsed) { return {std::move(parsed), {}}; }
  static Parsed fail(std::string why) { return {std::nullopt, std::move(why)}; }
};

// "4KiB", "1.5GB", "512B": bytes. kB MB GB TB are 1000-based, KiB MiB GiB TiB 1024-based; the result must be whole.
Parsed<std::uint64_t> parse_size(std::string_view text);

// "500us", "1.5s", "2min": ns us ms s min h; a whole number of nanoseconds.
Parsed<Nanoseconds> parse_duration(std::string_view text);

// "500MB/s", "1GiB/s", "10Gbit/s": bytes per second.
Parsed<double> parse_bandwidth(std::string_view text);

// "95%" is 95.
Parsed<double> parse_percent(std::string_view text);

// Decimal digits only: "010" is 10; no sign, octal or hexadecimal.
Parsed<std::uint64_t> parse_integer(std::string_view text);

// Decimal digits with an optional fraction: "0.5"; no sign, no exponent.
Parsed<double> parse_number(std::string_view text);

std::string format_bytes(std::uint64_t bytes);          // "4 KiB", "1.5 GiB"
std::string format_bandwidth(double bytes_per_second);  // "512 MB/s"
std::string format_duration(Nanoseconds duration);      // "85.3 us", "2 min 30 s"
std::string format_ns(std::uint64_t ns);                // the same
std::string format_count(double count);                 // "29,871", "12.3 M"

}  // namespace diskproof
