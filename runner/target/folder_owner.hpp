// Which job and disk a kept work folder is of: its lock file says so, as the names of two can come to the same folder.
#pragma once

#include <string>

namespace diskproof {

std::string lock_path(const std::string& work_path);

std::string owner_text(const std::string& job, const std::string& disk);

// Throws Error{refused} when the folder is of another job or disk, or its lock file is none of ours. True when it has
// no owner yet.
bool guard_owner(const std::string& work_path, const std::string& job, const std::string& disk);

}  // namespace diskproof
