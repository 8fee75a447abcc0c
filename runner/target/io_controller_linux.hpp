// Where the kernel's cgroup I/O controller can be had on this host.
#pragma once

#include <string>
#include <string_view>

namespace diskproof {

// The folder of the cgroup below which groups can hold disks to limits: by the v1 controller `blkio` where it is
// mounted, else by `io` of v2. `mountinfo` and `own_groups` are as in /proc/self/mountinfo and /proc/self/cgroup.
// Throws Error{unavailable} where there is none.
std::string parent_of_throttles(std::string_view mountinfo, std::string_view own_groups);

// "major:minor" of the device, or of the disk that it is a partition of: the controller knows whole disks only. `sysfs`
// is where sysfs is mounted.
std::string disk_to_limit(unsigned major, unsigned minor, const std::string& sysfs);

}  // namespace diskproof
