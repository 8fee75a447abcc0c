// The kernel's table of mounts, in the format of /proc/self/mountinfo.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "target/filesystem_facts.hpp"

namespace diskproof {

struct MountLine {
  std::string root;  // of the file system, that stands at the mount point
  std::string mount_point, type, source;
  std::string options, super_options;
};

// Every whole line, in the table's order: a later mount on the same point covers an earlier one.
std::vector<MountLine> read_mounts(std::string_view mountinfo);

// The facts of an existing path, by the mount table in this file.
FilesystemFacts filesystem_facts(const std::string& path, const std::string& mount_table);

// The mount that holds an absolute path without symbolic links; its sizes stay 0. Without a match all is empty.
FilesystemFacts find_mount(std::string_view mountinfo, std::string_view path);

}  // namespace diskproof
