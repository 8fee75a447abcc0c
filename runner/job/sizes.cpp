// Sizes and regions of phases.
#include "job/sizes.hpp"

#include <algorithm>

namespace diskproof {
namespace {

std::uint64_t in_bytes(const Extent& extent, std::uint64_t whole, std::uint64_t block) {
  if (extent.bytes) return *extent.bytes;
  const double percent = extent.percent.value_or(100);
  if (percent >= 100) return whole;
  const auto bytes = static_cast<std::uint64_t>(static_cast<long double>(whole) * percent / 100.0L);
  return bytes / block * block;
}

}  // namespace

std::uint32_t files_of(const Disk& disk, const Phase& phase) {
  return holds_files(disk) ? phase.files.value_or(phase.threads) : 1;
}

std::uint32_t sharers_of(const Disk& disk, const Phase& phase) {
  const std::uint32_t files = std::max(files_of(disk, phase), 1u);
  return phase.threads / files + (phase.threads % files == 0 ? 0 : 1);
}

std::uint64_t file_size_of(const Disk& disk, const Phase& phase) {
  const std::uint64_t whole = disk.capacity.value_or(0);
  return phase.size ? in_bytes(*phase.size, whole, phase.block_size) : whole;
}

Span region_of(const Phase& phase, std::uint64_t file_size) {
  Span span;
  span.from = in_bytes(phase.region.from, file_size, phase.block_size);
  const std::uint64_t rest = span.from < file_size ? file_size - span.from : 0;
  span.size = phase.region.size ? in_bytes(*phase.region.size, file_size, phase.block_size) : rest;
  return span;
}

}  // namespace diskproof
