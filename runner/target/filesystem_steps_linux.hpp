// Making, mounting and trimming file systems. Each answers with what was said or done, and throws Error on failure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "job/job.hpp"

namespace diskproof {

using StopAsked = std::function<bool()>;

// Removes the signatures of what was on the device; says which.
std::string wipe_signatures(const std::string& device, const StopAsked& stopped);

// `device`: a path that leads to the device whatever happens to its name.
std::string make_filesystem(const Filesystem& filesystem, const std::string& device, const StopAsked& stopped);

// What stands on the mount point now and what did before are compared: an empty folder below a failed mount would else
// be taken for the file system.
std::string mount_at(const std::string& source, const std::string& type, const std::vector<std::string>& options,
                     const std::string& mount_point, const StopAsked& stopped);

// Is something mounted right on it?
bool is_mount_point(const std::string& path);

// Tries for 5 s. Throws Error{failed} while it is in use. Nothing mounted: nothing to do. May hang with its device or
// server: see run_apart.
void unmount(const std::string& mount_point);

// Discards what the mounted file system does not use; answers with how much. Only a mount point is trimmed.
std::string trim_filesystem(const std::string& mount_point);

// Of the root of the mounted file system: "USER:GROUP" or "USER", names or numbers; octal digits.
void set_owner(const std::string& mount_point, const std::string& owner);
void set_mode(const std::string& mount_point, const std::string& mode);

}  // namespace diskproof
