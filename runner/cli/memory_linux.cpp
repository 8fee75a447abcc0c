// /proc/meminfo, and the memory limits of this process's control groups up to the root, versions 1 and 2.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <vector>

#include "cli/memory.hpp"
#include "support/error.hpp"

namespace diskproof {
namespace {

namespace fs = std::filesystem;

// The number after `name` in a file of "name number" lines, as it stands.
std::optional<std::uint64_t> field(const fs::path& file, const std::string& wanted) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t number = 0;
    if (words >> name >> number && name == wanted) return number;
  }
  return std::nullopt;
}

// The one number of a file; none where it says "max" or is not there.
std::optional<std::uint64_t> number_in(const fs::path& file) {
  std::ifstream stream(file);
  std::uint64_t number = 0;
  if (stream >> number) return number;
  return std::nullopt;
}

// Names of a control group's files in one version.
struct Files {
  const char *limit, *usage, *reclaimable;
};
constexpr Files kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr Files kVersion2{"memory.max", "memory.current", "inactive_file"};
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 60;  // version 1 says "none" by a number of about 2^63

// What the group has left. Page cache counts as used there, and gives way.
std::optional<std::uint64_t> left_in(const fs::path& group, const Files& files) {
  const auto limit = number_in(group / files.limit);
  const auto usage = number_in(group / files.usage);
  if (!limit || !usage || *limit >= kNoLimit) return std::nullopt;
  const std::uint64_t cache = field(group / "memory.stat", files.reclaimable).value_or(0);
  const std::uint64_t held = *usage - std::min(*usage, cache);
  return *limit - std::min(*limit, held);
}

// Where a hierarchy is mounted, and which of its groups stands at the mount point.
struct Mount {
  std::string root, point;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

bool lists(const std::string& names, const std::string& wanted) {
  const auto parts = split(names, ',');
  return std::find(parts.begin(), parts.end(), wanted) != parts.end();
}

// id parent major:minor root mount_point options optional… - type source super_options
std::optional<Mount> find_hierarchy(const fs::path& mountinfo, bool version2) {
  std::ifstream stream(mountinfo);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    const std::vector<std::string> fields{std::istream_iterator<std::string>(words), {}};
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (fields.size() < 5 || fields.end() - dash < 4) continue;
    const std::string& type = dash[1];
    const bool fits = version2 ? type == "cgroup2" : type == "cgroup" && lists(dash[3], "memory");
    if (fits) return Mount{fields[3], fields[4]};
  }
  return std::nullopt;
}

// "0::/user.slice" of version 2, "4:memory:/a" of version 1.
std::optional<std::string> own_group(const fs::path& file, bool version2) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool fits = version2 ? controllers.empty() : lists(controllers, "memory");
    if (fits) return line.substr(second + 1);
  }
  return std::nullopt;
}

// The tightest group from this process's own up to the one at the mount point.
void tighten(AvailableMemory& memory, const fs::path& proc, bool version2) {
  const auto mount = find_hierarchy(proc / "self/mountinfo", version2);
  const auto group = own_group(proc / "self/cgroup", version2);
  if (!mount || !group) return;
  fs::path below = fs::path(*group).lexically_relative(mount->root);
  if (below.empty() || *below.begin() == "..") below = ".";  // seen from outside: the mount point is all there is
  for (;; below = below.parent_path()) {
    const fs::path folder = (fs::path(mount->point) / below).lexically_normal();
    const auto left = left_in(folder, version2 ? kVersion2 : kVersion1);
    if (left && *left < memory.bytes) memory = {*left, "what the control group " + folder.string() + " has left"};
    if (below.empty() || below == ".") return;
  }
}

}  // namespace

AvailableMemory available_memory(const std::string& proc) {
  const auto kib = field(fs::path(proc) / "meminfo", "MemAvailable:");
  if (!kib) throw Error(ErrorKind::unavailable, "cannot tell how much memory is available from " + proc + "/meminfo");
  AvailableMemory memory{*kib * 1024, "this machine's available memory"};
  tighten(memory, proc, true);
  tighten(memory, proc, false);
  return memory;
}

}  // namespace diskproof
