// A disk or volume taken for a run. A lock is granted only while nobody has a file open on a volume, and a dismount
// makes what is mounted forget it. The volumes of a disk stay locked while this lives, as writes to a disk are let
// through only where its volumes are. A volume that is written to itself cannot stay so, as engines open it once per
// thread: its file system's beginning and end are cleared under the lock, so that nothing mounts it again, and it is
// held open, which keeps others from locking it.
#pragma once

#include <vector>

#include "support/system_windows.hpp"
#include "target/device_facts.hpp"

namespace diskproof {

class DeviceClaim {
 public:
  // Throws Error{refused} where a volume is in use.
  DeviceClaim(const DeviceFacts& device, const DeviceTable& table);
  // After the volumes of a disk were given back the system looks at the disk again.
  ~DeviceClaim();
  DeviceClaim(const DeviceClaim&) = delete;
  DeviceClaim& operator=(const DeviceClaim&) = delete;

 private:
  bool is_disk_;
  Handle device_;
  std::vector<Handle> volumes_;
};

// Locked and dismounted until it is closed; throws as above.
Handle lock_volume(const DeviceFacts& volume);

// Zeroes the first and the last MiB: partition tables and file systems are known by what is there.
void clear_ends(HANDLE device, std::uint64_t size, const std::string& path);

}  // namespace diskproof
