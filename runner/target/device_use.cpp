// The walk from a device to its partitions, its disk, and what is made of them.
#include "target/device_use.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "target/windows_use.hpp"

namespace diskproof {
namespace {

constexpr std::size_t kShownMounts = 3;

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// A container shows one file system at dozens of places.
std::string mounts_text(const DeviceFacts& device) {
  std::vector<std::string> places;
  for (const MountUse& use : device.mounts) {
    if (places.size() == kShownMounts)
      return fmt::format("{} and {} more", joined(places), device.mounts.size() - kShownMounts);
    places.push_back(use.process == 0 ? fmt::format("{} ({})", use.mount_point, use.type)
                                      : fmt::format("{} ({}) in the mount namespace of process {}", use.mount_point,
                                                    use.type, use.process));
  }
  return joined(places);
}

// "LVM volume vg-data", "RAID", of a device that is made of others.
std::string made_as(const DeviceFacts& holder) {
  const auto mapped = [&](const char* what) { return fmt::format("{} {}", what, holder.mapped_name); };
  if (holder.mapping.starts_with("LVM-")) return mapped("LVM volume");
  if (holder.mapping.starts_with("CRYPT-")) return mapped("encrypted volume");
  if (holder.mapping.starts_with("mpath-")) return mapped("multipath device");
  if (holder.kind == DeviceKind::device_mapper) return mapped("device mapper");
  if (holder.kind == DeviceKind::md) return "RAID";
  if (holder.name.starts_with("bcache")) return "bcache";
  return "";
}

std::string holder_text(const std::string& name, const DeviceTable& table) {
  const DeviceFacts* const holder = table.find(name);
  if (holder == nullptr) return "/dev/" + name;
  const std::string what = table.of_windows ? "volume over several disks" : made_as(*holder);
  std::string text = holder->path + (what.empty() ? "" : " (" + what + ")");
  if (!holder->mounts.empty()) text += ", mounted at " + mounts_text(*holder);
  return text;
}

bool lies_on(const DeviceFacts& loop, const DeviceFacts& device) {
  return !loop.backing_file.empty() &&
         (loop.backing_file == device.path || std::ranges::count(device.links, loop.backing_file) > 0);
}

// Device-mapper, md and bcache devices, and loop devices that are attached to it.
std::vector<std::string> holders_of(const DeviceFacts& device, const DeviceTable& table, const std::string& except) {
  std::vector<std::string> texts;
  for (const std::string& name : device.holders) texts.push_back(holder_text(name, table));
  for (const DeviceFacts& other : table.devices) {
    if (lies_on(other, device) && other.name != except) texts.push_back(other.path + " (loop device)");
  }
  return texts;
}

std::string pool_of(const DeviceFacts& device, const DeviceTable& table) {
  if (!device.btrfs.empty()) return "mounted btrfs " + device.btrfs;
  for (const Signature& signature : device.signatures) {
    if (signature.type != "zfs_member" || table.zfs_pools.empty()) continue;
    const bool imported = std::ranges::count(table.zfs_pools, signature.label) > 0;
    if (imported) return "imported ZFS pool " + signature.label;
    if (signature.label.empty()) return "ZFS pool that may be imported (" + joined(table.zfs_pools) + ")";
  }
  return "";
}

// All uses of one device, but for the loop device `except`; `what` says which it is: "/dev/sdb1, a partition of
// /dev/sdb,". `taken_by_lock`: a volume of Windows is locked before it is written to, which fails while it is in use.
void add_uses(std::vector<Refusal>& out, const std::string& what, const DeviceFacts& device, const DeviceTable& table,
              const std::string& except, bool taken_by_lock = false) {
  if (!device.mounts.empty() && !taken_by_lock) {
    out.push_back({RefusalKind::mounted, fmt::format("{} is mounted at {}; {} if it is the right device", what,
                                                     mounts_text(device), unmount_advice(device, table.of_windows))});
  }
  add_windows_uses(out, what, device);
  if (device.swap) {
    out.push_back({RefusalKind::swap,
                   fmt::format("{} is swap space in use; `swapoff {}` if it is the right device", what, device.path)});
  }
  if (const auto holders = holders_of(device, table, except); !holders.empty()) {
    out.push_back({RefusalKind::held,
                   fmt::format("{} is held by {}; take that down if it is the right device", what, joined(holders))});
  }
  if (const std::string pool = pool_of(device, table); !pool.empty()) {
    out.push_back({RefusalKind::pool_member, fmt::format("{} is a member of the {}; take it out of there, or unmount "
                                                         "or export that, if it is the right device",
                                                         what, pool)});
  }
}

std::vector<Refusal> uses_of(const DeviceFacts& device, const DeviceTable& table, const std::string& except) {
  std::vector<Refusal> out;
  add_uses(out, device.path, device, table, except, table.of_windows);
  for (const DeviceFacts* partition : table.partitions_of(device)) {
    const std::size_t before = out.size();
    add_uses(out, fmt::format("{}, a partition of {},", partition->path, device.path), *partition, table, except);
    for (std::size_t i = before; i < out.size(); ++i) {
      if (out[i].kind == RefusalKind::mounted) out[i].kind = RefusalKind::partition_mounted;
    }
  }
  if (const DeviceFacts* disk = device.parent.empty() ? nullptr : table.find(device.parent)) {
    const std::size_t before = out.size();
    add_uses(out, fmt::format("{}, of which {} is a partition,", disk->path, device.path), *disk, table, except);
    for (std::size_t i = before; i < out.size(); ++i) out[i].kind = RefusalKind::parent_in_use;
  }
  return out;
}

}  // namespace

std::vector<Refusal> use_refusals(const DeviceFacts& device, const DeviceTable& table) {
  std::vector<Refusal> out = uses_of(device, table, "");
  const auto below = std::ranges::find_if(
      table.devices, [&](const DeviceFacts& other) { return lies_on(device, other) && other.name != device.name; });
  if (below == table.devices.end()) return out;
  for (const Refusal& use : uses_of(*below, table, device.name)) {
    out.push_back({RefusalKind::parent_in_use, fmt::format("{} lies on {}: {}", device.path, below->path, use.text)});
  }
  return out;
}

std::string signature_text(const Signature& signature) {
  return signature.label.empty() ? signature.type : fmt::format("{} \"{}\"", signature.type, signature.label);
}

std::string use_text(const DeviceFacts& device, const DeviceTable& table) {
  if (device.size == 0) return "of size 0";
  std::vector<std::string> words;
  if (!device.mounts.empty()) words.push_back("mounted at " + mounts_text(device));
  if (device.swap) words.emplace_back("swap");
  if (const auto holders = holders_of(device, table, ""); !holders.empty())
    words.push_back("held by " + joined(holders));
  if (const std::string pool = pool_of(device, table); !pool.empty()) words.push_back("member of " + pool);
  if (!words.empty()) return joined(words);
  for (const Signature& signature : device.signatures) words.push_back(signature_text(signature));
  if (!device.signatures_fault.empty()) return "content unknown: " + device.signatures_fault;
  return words.empty() ? "free" : joined(words);
}

}  // namespace diskproof
