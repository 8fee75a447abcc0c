// A disk held to limits by the kernel's cgroup I/O controller, so that a job can be tried against the limits of the
// disk that it will meet. A group per run and disk holds the processes that are put into it, and their later threads
// and children, whatever file of the disk they use. It does not hold writes that go through the page cache (v1).
// Every function throws Error: unavailable where this machine or user cannot, failed where the kernel refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace diskproof {

// All above 0.
struct ThrottleLimits {
  std::optional<std::uint64_t> read_iops = {}, write_iops = {};            // operations per second
  std::optional<std::uint64_t> read_bandwidth = {}, write_bandwidth = {};  // bytes per second
};

// Operations that the group's processes issued to the disk, as the controller counts them.
struct ThrottleCounts {
  std::uint64_t reads = 0, writes = 0;
};

// Where the group of a run's disk is to be, as an absolute path; nothing is made yet.
std::string throttle_group_path(const std::string& run_id, const std::string& disk);

// Makes the group and sets its limits for the block device; of a partition, for the disk it is on. Leaves no group
// behind when it fails.
void make_throttle(const std::string& path, unsigned major, unsigned minor, const ThrottleLimits& limits);

// Moves a process into the group. Before it opens anything: what is under way is not moved.
void enter_throttle(const std::string& path, std::int64_t pid);

// Must be read before the group is removed.
ThrottleCounts throttle_counts(const std::string& path, unsigned major, unsigned minor);

// Waits a moment for processes in it to be gone. A group that is missing is none to remove.
void remove_throttle(const std::string& path);

}  // namespace diskproof
