// A block device held open for the length of a run, so that what is formatted, mounted and written stays the device
// that was looked at. Never creates a file. All faults are thrown as Error and say what to do. One thread.
#pragma once

#include <string>

#include "target/device_facts.hpp"

namespace diskproof {

class DeviceHandle {
 public:
  // Opens for reading what the facts are of. Throws Error{refused} where another device stands there by now, and
  // {unavailable} where a right is missing.
  explicit DeviceHandle(const DeviceFacts& facts);
  DeviceHandle(DeviceHandle&& other) noexcept;
  DeviceHandle& operator=(DeviceHandle&& other) noexcept;
  ~DeviceHandle();

  // Takes the device for writing, for itself alone (O_EXCL): fails with Error{refused} while the kernel, a mount in any
  // namespace or another program has claimed it. Claiming twice is one claim.
  void claim();
  // Gives it back, for mkfs and mount: both refuse a device that is claimed.
  void release() noexcept;
  // Throws Error{refused} unless number, sequence and size are as they were, and the path leads to it still.
  void check() const;

  // For reading; of a device that nobody needs to claim.
  [[nodiscard]] int descriptor() const noexcept { return plain_; }
  // The claimed descriptor, readable and writable, for the child of a raw phase to inherit; -1: not claimed.
  [[nodiscard]] int claimed_descriptor() const noexcept { return claimed_; }
  // For programs that take a path: leads to this device whatever happens to its name. "/proc/123/fd/4".
  [[nodiscard]] std::string program_path() const;
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] DeviceNumber number() const noexcept { return number_; }

 private:
  std::string path_;
  DeviceNumber number_;
  std::uint64_t sequence_ = 0, size_ = 0;
  int plain_ = -1, claimed_ = -1;
};

}  // namespace diskproof
