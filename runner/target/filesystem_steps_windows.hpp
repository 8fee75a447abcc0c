// Making file systems on Windows and giving them a folder. Throws Error on failure.
#pragma once

#include <functional>
#include <string>

#include "job/job.hpp"
#include "target/device_facts.hpp"

namespace diskproof {

// Of a disk: partitions it first, by a script that is left at `script_path`. Answers the name of the volume that holds
// the file system, "\\?\Volume{…}".
std::string make_filesystem(const Filesystem& filesystem, const DeviceFacts& device, const std::string& script_path,
                            const std::function<bool()>& stopped, std::string& said);

// `folder` is empty and on NTFS. What stands there afterwards is looked at.
void mount_volume(const std::string& volume, const std::string& folder);
bool is_mount_point(const std::string& folder);
// Nothing mounted: nothing to do.
void unmount(const std::string& folder);

}  // namespace diskproof
