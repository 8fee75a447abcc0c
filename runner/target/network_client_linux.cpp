// /proc/self/mountstats and /proc/fs/cifs/Stats. Times in mountstats are milliseconds.
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sstream>
#include <unistd.h>

#include "target/mount_table_linux.hpp"
#include "target/network_client.hpp"
#include "target/run_apart_linux.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream words(line);
  return {std::istream_iterator<std::string>(words), {}};
}

std::uint64_t number(const std::vector<std::string>& words, std::size_t at) {
  return at < words.size() ? std::strtoull(words[at].c_str(), nullptr, 10) : 0;
}

// "READ: operations transmissions timeouts sent received queue rtt execute errors"
void add_operation(const std::vector<std::string>& words, NetworkTotals& totals) {
  const std::uint64_t calls = number(words, 1), sent = number(words, 2);
  const RoundTrips trips{calls, number(words, 7) * kMillisecond};
  totals.calls += calls;
  totals.rpc->retransmits += sent > calls ? sent - calls : 0;
  totals.rpc->timeouts += number(words, 3);
  totals.rpc->all.calls += trips.calls;
  totals.rpc->all.ns += trips.ns;
  if (words[0] == "READ:") totals.rpc->read = trips;
  if (words[0] == "WRITE:") totals.rpc->write = trips;
}

std::string text_of_file(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// \\server\share as //server/share.
std::string with_slashes(std::string text) {
  for (char& c : text) c = c == '\\' ? '/' : c;
  return text;
}

bool is_share(std::string_view source, const std::string& share) {
  return source == share || (source.starts_with(share) && source[share.size()] == '/');
}

}  // namespace

std::optional<NetworkTotals> nfs_counters(std::string_view mountstats, std::string_view mount_point) {
  std::istringstream lines{std::string(mountstats)};
  std::optional<NetworkTotals> totals;
  bool here = false, operations = false;
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> words = words_of(line);
    if (words.empty()) continue;
    if (words[0] == "device") {
      // device SOURCE mounted on PLACE with fstype TYPE statvers=1.1; a later mount covers an earlier one
      operations = false;
      here = words.size() > 7 && unescape(words[4]) == mount_point && words[7].starts_with("nfs");
      if (here) totals.emplace().rpc.emplace();
    } else if (here && words[0] == "bytes:") {
      totals->read_bytes = number(words, 5);
      totals->write_bytes = number(words, 6);
    } else if (here && words[0] == "per-op") {
      operations = true;
    } else if (here && operations) {
      add_operation(words, *totals);
    }
  }
  return totals;
}

std::optional<NetworkTotals> cifs_counters(std::string_view stats, std::string_view source) {
  std::istringstream lines{std::string(stats)};
  std::optional<NetworkTotals> totals;
  bool here = false;
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> words = words_of(line);
    if (words.size() > 1 && words[1].starts_with("\\\\")) {  // 1) \\server\share
      here = is_share(source, with_slashes(words[1]));
      if (here) totals.emplace();
    } else if (here && words.size() > 1 && words[0] == "SMBs:") {
      totals->calls = number(words, 1);
    } else if (here && words.size() > 5 && words[0] == "Bytes" && words[1] == "read:") {
      totals->read_bytes = number(words, 2);
      totals->write_bytes = number(words, 5);
    }
  }
  return totals;
}

std::optional<NetworkTotals> network_counters(const NetworkMount& mount, const std::string& mount_point,
                                              const std::string& source) {
  if (mount.kind == "nfs") return nfs_counters(text_of_file("/proc/self/mountstats"), mount_point);
  if (mount.kind == "cifs") return cifs_counters(text_of_file("/proc/fs/cifs/Stats"), source);
  return std::nullopt;
}

// A server that does not answer keeps whoever asks it waiting.
void drop_client_cache(const std::vector<std::string>& files) {
  constexpr std::uint64_t kPatience = 10'000'000'000;
  run_apart(
      [&] {
        for (const std::string& path : files) {
          const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
          if (file < 0) continue;
          ::fdatasync(file);  // only clean pages leave
          ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
          ::close(file);
        }
        return std::string();
      },
      kPatience);
}

}  // namespace diskproof
