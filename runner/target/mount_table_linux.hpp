// The kernel's table of mounts, in the format of /proc/self/mountinfo.
#pragma once

#include <string>
#include <string_view>

#include "target/filesystem_facts.hpp"

namespace diskproof {

// The facts of an existing path, by the mount table in this file.
FilesystemFacts filesystem_facts(const std::string& path, const std::string& mount_table);

// The mount that holds an absolute path without symbolic links; its sizes stay 0. Without a match all is empty.
FilesystemFacts find_mount(std::string_view mountinfo, std::string_view path);

}  // namespace diskproof
