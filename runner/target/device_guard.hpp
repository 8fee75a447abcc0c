// May a job write to a device? Decided from facts alone, before anything is opened for writing. Every reason against it
// is given at once; what is mounted or held is refused whatever job and command line say.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "job/device_identity.hpp"
#include "plan/plan.hpp"
#include "target/device_facts.hpp"
#include "target/device_use.hpp"

namespace diskproof {

// What job and command line say about a disk.
struct DeviceConsent {
  std::string disk;      // its name in the job
  bool destroy = false;  // the job's `destroy: true`
  // --allow-destroy NAME=ID: the ID, empty for the bare NAME; absent: the option was not given for this disk.
  std::optional<std::string> allowed;
  DeviceIdentity identity;
};

// Empty: it may be written to. In a fixed order, the most telling first.
std::vector<Refusal> device_refusals(const DevicePath& path, const DeviceTable& table, const DeviceConsent& consent);

// What is left of them with all consent that job and command line can give.
std::vector<Refusal> lasting_refusals(const DeviceFacts& device, const DeviceTable& table);

// Throws Error with all refusals, a line each: {unavailable} where nothing but a right is missing, else {refused}.
void guard_device(const DevicePath& path, const DeviceTable& table, const DeviceConsent& consent);

// That no two disks of a job, by name, are one device, or a device and a partition of it. Throws Error{refused}.
void guard_distinct(const std::map<std::string, DeviceFacts>& devices);

// The facts of the plan's device, looked into where the run writes to it; nothing where no phase uses it. Throws as
// above. `allowed`: --allow-destroy, disk to ID.
std::optional<DeviceFacts> guard_device(const Plan& plan, const DiskPlan& disk,
                                        const std::map<std::string, std::string>& allowed);

}  // namespace diskproof
