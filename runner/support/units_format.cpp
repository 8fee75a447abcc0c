// Numbers for the terminal view: three figures, the prefix that fits.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

#include "support/units.hpp"

namespace diskproof {
namespace {

// A rounded figure with three significant digits and no trailing zeros: 4, 1.5, 85.3, 512.
std::string figure(double value) {
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find('.') != std::string::npos) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

template <std::size_t N>
std::string with_prefix(double value, double base, const std::array<std::string_view, N>& names) {
  std::size_t step = 0;
  while (step + 1 < N && value >= base * (base == 1024 ? 1 : 0.9995)) {
    value /= base;
    ++step;
  }
  return fmt::format("{} {}", value < 10000 ? figure(value) : fmt::format("{:.3g}", value), names[step]);
}

}  // namespace

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 7> kNames{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  return with_prefix(static_cast<double>(bytes), 1024, kNames);
}

std::string format_bandwidth(double bytes_per_second) {
  if (!std::isfinite(bytes_per_second)) return "-";
  constexpr std::array<std::string_view, 6> kNames{"B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s"};
  return with_prefix(std::max(bytes_per_second, 0.0), 1000, kNames);
}

std::string format_duration(Nanoseconds duration) {
  const std::int64_t ns = duration.count();
  if (ns < 0)
    return "-" + format_duration(Nanoseconds(ns == Nanoseconds::min().count() ? Nanoseconds::max().count() : -ns));
  constexpr std::array<std::string_view, 4> kNames{"ns", "us", "ms", "s"};
  if (ns < 120'000'000'000) return with_prefix(static_cast<double>(ns), 1000, kNames);
  const std::int64_t seconds = ns / 1'000'000'000 + (ns % 1'000'000'000 >= 500'000'000 ? 1 : 0);
  if (seconds < 7200) {
    return seconds % 60 == 0 ? fmt::format("{} min", seconds / 60)
                             : fmt::format("{} min {} s", seconds / 60, seconds % 60);
  }
  const std::int64_t minutes = (seconds + 30) / 60;
  return minutes % 60 == 0 ? fmt::format("{} h", minutes / 60) : fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

std::string format_ns(std::uint64_t ns) { return format_duration(Nanoseconds(static_cast<std::int64_t>(ns))); }

std::string format_count(double count) {
  if (!std::isfinite(count)) return "-";
  if (count < 0) return "-" + format_count(-count);
  if (count < 99.95) return figure(count);
  if (count >= 9'999'999.5) {
    constexpr std::array<std::string_view, 4> kNames{"M", "G", "T", "P"};
    return with_prefix(count / 1e6, 1000, kNames);
  }
  std::string digits = fmt::format("{:.0f}", count);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

}  // namespace diskproof
