// The kernel's table of mounts, in the format of /proc/self/mountinfo.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "target/device_facts.hpp"
#include "target/filesystem_facts.hpp"

namespace diskproof {

struct MountLine {
  DeviceNumber number;  // of the file system: that of its device, or one of its own with major 0
  std::string root;     // of the file system, that stands at the mount point
  std::string mount_point, type, source;
  std::string options, super_options;
};

// Every whole line, in the table's order: a later mount on the same point covers an earlier one.
std::vector<MountLine> read_mounts(std::string_view mountinfo);

// Blanks, tabs, newlines and backslashes stand as \040 and the like in the kernel's tables.
std::string unescape(std::string_view text);

// The facts of an existing path, by the mount table in this file.
FilesystemFacts filesystem_facts(const std::string& path, const std::string& mount_table);

// The mount that holds an absolute path without symbolic links; its sizes stay 0. Without a match all is empty.
FilesystemFacts find_mount(std::string_view mountinfo, std::string_view path);

}  // namespace diskproof
