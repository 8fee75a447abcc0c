// The rules of DESIGN section 8 that concern devices.
#include "target/device_guard.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>

#include "plan/disk_steps.hpp"
#include "support/error.hpp"
#include "target/device_identity.hpp"

namespace diskproof {
namespace {

using Found = DevicePath::Found;

// What stands at the path is no device; nothing when it is one.
std::optional<Refusal> path_refusal(const DevicePath& path) {
  switch (path.found) {
    case Found::missing:
      return Refusal{RefusalKind::missing,
                     fmt::format("{} does not exist; `diskproof devices` lists the devices", path.given)};
    case Found::not_permitted:
      return Refusal{RefusalKind::not_permitted,
                     fmt::format("{} cannot be looked at for want of a right; run as root (Windows: as administrator)",
                                 path.given)};
    case Found::directory:
      return Refusal{RefusalKind::not_a_device,
                     fmt::format("{} is a folder, not a block device; use `directory: {}`", path.given, path.given)};
    case Found::regular_file:
      return Refusal{RefusalKind::not_a_device,
                     fmt::format("{} is a regular file, not a block device; use `file: {}`", path.given, path.given)};
    case Found::other:
      return Refusal{RefusalKind::not_a_device,
                     fmt::format("{} is not a block device; `diskproof devices` lists the devices", path.given)};
    case Found::block_device:
      break;
  }
  return std::nullopt;
}

void add_state(std::vector<Refusal>& out, const DeviceFacts& device, bool of_windows) {
  if (device.size == 0) {
    out.push_back({RefusalKind::empty,
                   fmt::format("{} has the size 0: nothing is attached to it, or no medium is in it", device.path)});
  }
  if (device.read_only) {
    out.push_back(
        {RefusalKind::read_only,
         fmt::format("{} is read-only; make it writable ({}, or attach it anew) if it is the right device", device.path,
                     of_windows ? "diskpart: `attributes disk clear readonly`" : "`blockdev --setrw`")});
  }
  if (device.offline) {
    out.push_back(
        {RefusalKind::offline, fmt::format("{} is offline; bring it online (diskpart: `online disk`) if it is "
                                           "the right device",
                                           device.path)});
  }
}

// One that has neither serial nor WWN is named by the bare NAME.
std::string wanted_option(const DeviceFacts& device, const DeviceConsent& consent) {
  const std::vector<std::string> ids = consent_ids(device);
  return fmt::format("--allow-destroy {}{}", consent.disk, ids.empty() ? "" : "=" + ids.front());
}

std::optional<Refusal> command_line_refusal(const DeviceFacts& device, const DeviceConsent& consent) {
  const std::string wanted = wanted_option(device, consent);
  if (!consent.allowed) {
    return Refusal{RefusalKind::not_allowed,
                   fmt::format("the command line does not allow to destroy {}; add {}", device.path, wanted)};
  }
  const bool has_id = !consent_ids(device).empty();
  if (consent.allowed->empty()) {
    if (!has_id) return std::nullopt;
    return Refusal{RefusalKind::id_needed, fmt::format("--allow-destroy {} does not say which device, and {} has an ID "
                                                       "of its own; write {}",
                                                       consent.disk, device.path, wanted)};
  }
  if (is_consent_id(device, *consent.allowed)) return std::nullopt;
  const std::string is = has_id ? "another ID" : "neither serial nor WWN";
  return Refusal{RefusalKind::wrong_id, fmt::format("--allow-destroy {}={} is for another device: {} has {}; if it is "
                                                    "the right one, write {}",
                                                    consent.disk, *consent.allowed, device.path, is, wanted)};
}

void add_consent(std::vector<Refusal>& out, const DeviceFacts& device, const DeviceConsent& consent) {
  if (!consent.destroy) {
    out.push_back({RefusalKind::no_destroy,
                   fmt::format("the job does not allow to destroy {}; set `destroy: true` on the disk", device.path)});
  }
  if (const auto refusal = command_line_refusal(device, consent)) out.push_back(*refusal);
}

// Of the device and its partitions; told only where consent to lose them is not complete.
void add_signatures(std::vector<Refusal>& out, const DeviceFacts& device, const DeviceTable& table) {
  std::vector<const DeviceFacts*> places{&device};
  for (const DeviceFacts* partition : table.partitions_of(device)) places.push_back(partition);
  for (const DeviceFacts* place : places) {
    for (const Signature& signature : place->signatures) {
      out.push_back({RefusalKind::signature,
                     fmt::format("{} holds {}{}, which would be lost", place->path, signature_text(signature),
                                 signature.uuid.empty() ? "" : ", UUID " + signature.uuid)});
    }
  }
}

void add_unreadable(std::vector<Refusal>& out, const DeviceFacts& device, bool of_windows) {
  if (device.looked_into && device.signatures_fault.empty()) return;
  const std::string why = device.looked_into ? device.signatures_fault : "nobody looked";
  const RefusalKind kind = device.forbidden ? RefusalKind::not_permitted : RefusalKind::unreadable;
  const char* const who = of_windows ? "a run as administrator" : "root";
  const std::string advice =
      device.forbidden ? fmt::format("; it takes the right to read and write it, which {} has as a rule", who) : "";
  out.push_back({kind, fmt::format("what {} holds cannot be read: {}{}", device.path, why, advice)});
}

// Loop and zram devices keep the name by which somebody attached them, and volumes of Windows the one with their GUID.
bool has_moving_name(const DevicePath& path, const DeviceFacts& device) {
  if (path.named_by.starts_with("\\\\?\\Volume{")) return false;
  const bool moves = device.kind == DeviceKind::disk || device.kind == DeviceKind::partition ||
                     device.kind == DeviceKind::device_mapper || device.kind == DeviceKind::md;
  return moves && (path.named_by.empty() || path.named_by == device.path);
}

// Another one may stand there by the time that the job runs, and sticks of one size are many.
void add_usb(std::vector<Refusal>& out, const DeviceFacts& device, const DeviceIdentity& identity) {
  const bool has_id = !device.serial.empty() || !device.wwn.empty();
  const bool named = identity.serial || identity.wwn || (!has_id && !identity.empty());
  if (device.bus != "USB" || named) return;
  out.push_back({RefusalKind::usb,
                 fmt::format("{} is on USB, where another disk may take its place; add `identity: {{{}}}`", device.path,
                             !device.serial.empty() ? fmt::format("serial: \"{}\"", device.serial)
                             : !device.wwn.empty()  ? fmt::format("wwn: \"{}\"", device.wwn)
                                                    : fmt::format("size: {}B", device.size))});
}

void add_identity(std::vector<Refusal>& out, const DevicePath& path, const DeviceFacts& device,
                  const DeviceConsent& consent) {
  if (consent.identity.empty() && has_moving_name(path, device)) {
    const std::string hint =
        !device.serial.empty() ? fmt::format("add `identity: {{serial: \"{}\"}}`", device.serial) : "add `identity:`";
    const std::string link = device.links.empty() ? "" : ", or name it as " + device.links.front();
    out.push_back({RefusalKind::moving_name,
                   fmt::format("{} is a name of the kernel that may be another device after a reboot; {}{}",
                               device.path, hint, link)});
  }
  if (!consent.identity.empty()) add_usb(out, device, consent.identity);
  for (const std::string& mismatch : identity_mismatches(device, consent.identity)) {
    out.push_back({RefusalKind::identity, fmt::format("{} is not the device of the job: {}", device.path, mismatch)});
  }
}

}  // namespace

std::vector<Refusal> device_refusals(const DevicePath& path, const DeviceTable& table, const DeviceConsent& consent) {
  if (const auto refusal = path_refusal(path)) return {*refusal};
  const DeviceFacts* const device = table.find(path.number);
  if (device == nullptr) {
    return {{RefusalKind::unknown_device, fmt::format("{} is device {}, which the system does not list; it may be gone",
                                                      path.given, to_string(path.number))}};
  }
  std::vector<Refusal> out = use_refusals(*device, table);
  add_state(out, *device, table.of_windows);
  add_identity(out, path, *device, consent);
  std::vector<Refusal> missing;
  add_consent(missing, *device, consent);
  if (!missing.empty()) add_signatures(out, *device, table);
  out.insert(out.end(), missing.begin(), missing.end());
  add_unreadable(out, *device, table.of_windows);
  return out;
}

std::vector<Refusal> lasting_refusals(const DeviceFacts& device, const DeviceTable& table) {
  const std::vector<std::string> ids = consent_ids(device);
  DeviceConsent consent{
      .disk = {}, .destroy = true, .allowed = ids.empty() ? "" : ids.front(), .identity = {.size = device.size}};
  if (!device.serial.empty()) consent.identity.serial = device.serial;
  if (!device.wwn.empty()) consent.identity.wwn = device.wwn;
  const DevicePath path{.found = Found::block_device,
                        .given = device.path,
                        .resolved = device.path,
                        .named_by = device.path,
                        .number = device.number};
  return device_refusals(path, table, consent);
}

void guard_device(const DevicePath& path, const DeviceTable& table, const DeviceConsent& consent) {
  const std::vector<Refusal> refusals = device_refusals(path, table, consent);
  if (refusals.empty()) return;
  const DeviceFacts* const device = table.find(path.number);
  const bool renamed = device != nullptr && device->path != path.given;
  std::string text = "disk " + consent.disk + (renamed ? " (" + path.given + ")" : "") + ":";
  for (const Refusal& refusal : refusals) text += (&refusal == &refusals.front() ? " " : "; ") + refusal.text;
  const bool only_a_right =
      std::ranges::all_of(refusals, [](const Refusal& refusal) { return refusal.kind == RefusalKind::not_permitted; });
  throw Error(only_a_right ? ErrorKind::unavailable : ErrorKind::refused, text);
}

void guard_distinct(const std::map<std::string, DeviceFacts>& devices) {
  for (auto one = devices.begin(); one != devices.end(); ++one) {
    for (auto other = std::next(one); other != devices.end(); ++other) {
      const DeviceFacts &left = one->second, &right = other->second;
      if (left.number != right.number && left.parent != right.name && right.parent != left.name) continue;
      throw Error(ErrorKind::refused,
                  fmt::format("disk {} has {} and disk {} has {}, which {}; give it to one of them", one->first,
                              left.path, other->first, right.path,
                              left.number == right.number ? "is the same device" : "are a device and a part of it"));
    }
  }
}

std::optional<DeviceFacts> guard_device(const Plan& plan, const DiskPlan& disk,
                                        const std::map<std::string, std::string>& allowed) {
  if (!is_used(plan, disk)) return std::nullopt;
  const DevicePath path = resolve_device(disk.path);
  DeviceTable table = read_devices();
  const bool only_read = path.found == DevicePath::Found::block_device && !is_written(plan, disk);
  if (!only_read) {
    look_into(table, {path.number});
    const auto consent = allowed.find(disk.name);
    guard_device(path, table,
                 {.disk = disk.name,
                  .destroy = disk.destroy,
                  .allowed = consent == allowed.end() ? std::nullopt : std::optional(consent->second),
                  .identity = disk.identity.value_or(DeviceIdentity{})});
  }
  const DeviceFacts* facts = table.find(path.number);
  return facts == nullptr ? std::nullopt : std::optional(*facts);
}

}  // namespace diskproof
