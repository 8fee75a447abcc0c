// Who else has a device: what no consent overrides.
#pragma once

#include <string>
#include <vector>

#include "target/device_facts.hpp"

namespace diskproof {

enum class RefusalKind {
  missing,
  not_a_device,
  not_permitted,
  unknown_device,
  empty,
  read_only,
  mounted,
  partition_mounted,
  parent_in_use,
  swap,
  held,
  pool_member,
  system_disk,
  page_file,
  dynamic_disk,
  offline,
  unreadable,
  signature,
  no_destroy,
  not_allowed,
  wrong_id,
  id_needed,
  moving_name,
  identity,
  usb,
};

struct Refusal {
  RefusalKind kind = RefusalKind::missing;
  std::string text;  // what was found, on what, and what to do
};

// Of the device, its partitions, the disk that it is a partition of, and the device that a loop device lies on. ZFS
// members are found by their signatures: look_into() comes first.
std::vector<Refusal> use_refusals(const DeviceFacts& device, const DeviceTable& table);

// In a few words, for a table: "mounted at /", "swap", "held by dm-0 (LVM)", "ext4 \"data\"", "free".
std::string use_text(const DeviceFacts& device, const DeviceTable& table);

std::string signature_text(const Signature& signature);  // "ext4 \"data\""

}  // namespace diskproof
