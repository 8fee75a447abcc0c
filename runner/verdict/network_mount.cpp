// Words of the option list, sizes, and the client's counters beside the load's own.
#include "verdict/network_mount.hpp"

#include <array>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "support/units.hpp"

namespace diskproof {
namespace {

constexpr std::array<std::pair<std::string_view, const char*>, 8> kRemarkable{
    {{"soft", "a server that is slow gives I/O errors instead of waits"},
     {"softerr", "a server that is slow gives I/O errors instead of waits"},
     {"async", "writes are acknowledged before the server has them"},
     {"nolock", "locks are this client's alone"},
     {"local_lock=all", "locks are this client's alone"},
     {"nocto", "what other clients change is seen late"},
     {"cache=loose", "the cache is kept while others may write"},
     {"cache=mmap", "reads and writes may stay in the cache"}}};

bool has_word(std::string_view options, std::string_view word) {
  while (!options.empty()) {
    const std::size_t comma = std::min(options.find(','), options.size());
    if (options.substr(0, comma) == word) return true;
    options.remove_prefix(std::min(comma + 1, options.size()));
  }
  return false;
}

void add_split(std::string& text, const char* what, const char* option, std::uint64_t block, std::uint64_t most) {
  if (most == 0 || block <= most) return;
  text += fmt::format("{}{} of {} take {} requests of {} ({})", text.empty() ? "" : "; ", what, format_bytes(block),
                      (block + most - 1) / most, format_bytes(most), option);
}

// Less than nine tenths of what the load moved went over the network.
std::string short_of(const PhaseMetrics& metrics, const char* direction, std::uint64_t counted) {
  constexpr double kShare = 0.9;
  const auto moved = metrics.find(fmt::format("{}.bytes", direction));
  if (!moved || *moved <= 0 || static_cast<double>(counted) >= kShare * *moved) return "";
  return fmt::format("{}: the load moved {}, and {} of it went over the network", direction,
                     format_bytes(static_cast<std::uint64_t>(*moved)), format_bytes(counted));
}

}  // namespace

std::optional<std::string> remarkable_mount(const NetworkMount& mount, const std::string& options,
                                            const NetworkLoad& load) {
  std::string text;
  for (const auto& [word, meaning] : kRemarkable) {
    if (has_word(options, word)) text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", word, meaning);
  }
  add_split(text, "reads", "rsize", load.read_block, mount.read_size);
  add_split(text, "writes", "wsize", load.write_block, mount.write_size);
  if (text.empty()) return std::nullopt;
  return fmt::format("mounted by {}: {}", mount.kind, text);
}

std::optional<std::string> client_cache(const NetworkMount& mount, const std::optional<NetworkTotals>& counted,
                                        const NetworkLoad& load, const PhaseMetrics& metrics) {
  if (counted) {
    const std::string reads = short_of(metrics, "read", counted->read_bytes);
    const std::string writes = short_of(metrics, "write", counted->write_bytes);
    if (reads.empty() && writes.empty()) return std::nullopt;
    return reads + (reads.empty() || writes.empty() ? "" : "; ") + writes;
  }
  if (mount.user_space) return fmt::format("the client of {} is a process that may cache, also direct I/O", mount.kind);
  if (load.direct) return std::nullopt;
  return fmt::format("I/O on {} was buffered, and its client does not count what its cache answered", mount.kind);
}

}  // namespace diskproof
