// The line of progress.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "report/columns.hpp"
#include "report/progress.hpp"
#include "support/units.hpp"

namespace diskproof {
namespace {

constexpr std::size_t kBarWidth = 20;
constexpr std::size_t kNameWidth = 24;

std::string shortened(std::string name, std::size_t width) {
  if (display_width(name) <= width) return pad_right(name, width);
  std::size_t end = 0;
  for (std::size_t shown = 0; end < name.size() && shown < width - 1; ++shown) {
    ++end;
    while (end < name.size() && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) ++end;
  }
  return name.substr(0, end) + "…";
}

std::string clock(double seconds) {
  constexpr double kMost = 359'999;  // 99:59:59
  const auto whole = static_cast<long>(std::isfinite(seconds) ? std::clamp(seconds, 0.0, kMost) : 0.0);
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::optional<double> share_done(const Progress& progress) {
  std::optional<double> share = progress.done;
  if (!share && progress.total && *progress.total > 0) share = progress.elapsed / *progress.total;
  if (!share || !std::isfinite(*share)) return std::nullopt;
  return std::clamp(*share, 0.0, 1.0);
}

std::string bar(double share) {
  const auto full = static_cast<std::size_t>(share * static_cast<double>(kBarWidth));
  return fmt::format("[{}{}] {:3.0f}%", std::string(full, '#'), std::string(kBarWidth - full, '.'),
                     std::floor(share * 100));
}

}  // namespace

std::string progress_line(const Progress& progress) {
  const std::string run = progress.runs > 1 ? fmt::format(" run {} of {}", progress.run, progress.runs) : "";
  std::string line = shortened(one_line(progress.phase), kNameWidth - run.size()) + run;
  line += fmt::format(" {:7}", one_line(progress.kind));
  if (const auto share = share_done(progress)) line += " " + bar(*share);
  line += " " + clock(progress.elapsed);
  if (progress.total) line += "/" + clock(*progress.total);
  if (progress.iops) line += fmt::format(" {} IOPS", format_count(*progress.iops));
  if (progress.bandwidth) line += " " + format_bandwidth(*progress.bandwidth);
  return line;
}

}  // namespace diskproof
