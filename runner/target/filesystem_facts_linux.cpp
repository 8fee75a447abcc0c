// Mount table and statfs. The table names the type; statfs knows a number only, and serves where there is no table.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <linux/magic.h>
#include <sstream>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <vector>

#include "support/error.hpp"
#include "support/secrets.hpp"
#include "target/mount_table_linux.hpp"

namespace diskproof {
namespace {

bool is_under(std::string_view path, std::string_view mount_point) {
  if (mount_point == "/") return path.starts_with('/');
  return path.starts_with(mount_point) && (path.size() == mount_point.size() || path[mount_point.size()] == '/');
}

std::string_view type_from_magic(long magic) {
  struct Known {
    unsigned long magic;
    std::string_view type;
  };
  constexpr unsigned long kXfs = 0x58465342, kCifs = 0xFF534D42, kSmb2 = 0xFE534D42;  // not in linux/magic.h everywhere
  static constexpr Known kKnown[] = {
      {EXT4_SUPER_MAGIC, "ext4"},         {kXfs, "xfs"},          {BTRFS_SUPER_MAGIC, "btrfs"},
      {F2FS_SUPER_MAGIC, "f2fs"},         {TMPFS_MAGIC, "tmpfs"}, {RAMFS_MAGIC, "ramfs"},
      {NFS_SUPER_MAGIC, "nfs"},           {kCifs, "cifs"},        {kSmb2, "cifs"},
      {OVERLAYFS_SUPER_MAGIC, "overlay"}, {V9FS_MAGIC, "9p"},     {FUSE_SUPER_MAGIC, "fuse"}};
  for (const Known& known : kKnown) {
    if (known.magic == (static_cast<unsigned long>(magic) & 0xFFFFFFFFUL)) return known.type;
  }
  return "";
}

}  // namespace

std::string unescape(std::string_view text) {
  const auto octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && octal(text[i + 1]) && octal(text[i + 2]) && octal(text[i + 3])) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::vector<MountLine> read_mounts(std::string_view mountinfo) {
  std::vector<MountLine> mounts;
  std::istringstream lines{std::string(mountinfo)};
  for (std::string line; std::getline(lines, line);) {
    // id parent major:minor root mount_point options optional… - type source super_options
    std::istringstream words(line);
    const std::vector<std::string> fields{std::istream_iterator<std::string>(words), {}};
    std::size_t dash = 6;
    while (dash < fields.size() && fields[dash] != "-") ++dash;
    if (dash + 2 >= fields.size()) continue;
    mounts.push_back({parse_device_number(fields[2]), unescape(fields[3]), unescape(fields[4]), fields[dash + 1],
                      unescape(fields[dash + 2]), unescape(fields[5]),
                      dash + 3 < fields.size() ? unescape(fields[dash + 3]) : ""});
  }
  return mounts;
}

FilesystemFacts find_mount(std::string_view mountinfo, std::string_view path) {
  FilesystemFacts best;
  for (MountLine& mount : read_mounts(mountinfo)) {
    if (!is_under(path, mount.mount_point) || mount.mount_point.size() < best.mount_point.size()) continue;
    best.mount_point = std::move(mount.mount_point);
    best.type = std::move(mount.type);
    best.source = mask_secrets(mount.source);
    best.options = mask_secrets(mount.options);
    if (!mount.super_options.empty()) best.options += "," + mask_secrets(mount.super_options);
  }
  return best;
}

FilesystemFacts filesystem_facts(const std::string& path) { return filesystem_facts(path, "/proc/self/mountinfo"); }

FilesystemFacts filesystem_facts(const std::string& path, const std::string& mount_table) {
  struct statfs found {};
  struct stat status {};
  if (statfs(path.c_str(), &found) != 0 || stat(path.c_str(), &status) != 0) {
    throw Error(ErrorKind::failed, "cannot look at the file system under " + path + ": " + std::strerror(errno));
  }
  std::ifstream file(mount_table);
  const std::string table{std::istreambuf_iterator<char>(file), {}};
  FilesystemFacts facts = find_mount(table, std::filesystem::canonical(path).string());
  if (facts.type.empty()) facts.type = type_from_magic(static_cast<long>(found.f_type));
  facts.magic = static_cast<std::uint64_t>(found.f_type) & 0xFFFFFFFFU;
  const auto block = static_cast<std::uint64_t>(found.f_frsize > 0 ? found.f_frsize : found.f_bsize);
  facts.device = status.st_dev;
  facts.size = found.f_blocks * block;
  facts.available = found.f_bavail * block;
  return facts;
}

}  // namespace diskproof
