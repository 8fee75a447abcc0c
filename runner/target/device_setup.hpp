// Makes a disk of a device, an image or a share: attach, settings, discard, file system, mount, throttle. Each step's
// undo is in the journal before it happens, and each is reported by itself.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "plan/plan.hpp"
#include "target/device_facts.hpp"
#include "target/journal.hpp"

namespace diskproof {

struct GuardedDevice {
  std::optional<DeviceFacts> facts{};  // of a device: as the guard saw it; another one in its place is refused
  bool written = false;                // by the run; else it is opened for reading only
};

// Whatever the type of the share says: mount would attach an image or take a device, and no guard has looked at either.
// Throws Error{refused}.
void guard_share(const DiskPlan& disk);

class DeviceSetup {
 public:
  // Runs one step; what the action answers is kept as its output. Throws what the action throws.
  using Action = std::function<std::string()>;
  using Step = std::function<void(const std::string& verb, const Action& action)>;

  // All outlive this.
  DeviceSetup(const DiskPlan& disk, GuardedDevice guarded, Journal& journal, std::function<bool()> stopped);
  ~DeviceSetup();
  DeviceSetup(DeviceSetup&&) noexcept;

  // Throws Error as the steps do; what was made until then is for the journal's undo.
  void run(const Step& step);

  // Gives the device back. Throws Error{failed} where it does not take in time what was written through the page cache.
  void close();

  // Waits until the device has nothing in flight any more, at most `patience` ns; false: it still has.
  [[nodiscard]] bool quiet(std::uint64_t patience) const;

  // Of a raw device: what a phase's child works on; -1: none.
  [[nodiscard]] int descriptor() const noexcept;
  // The group of the I/O controller that holds phases to the throttle; empty: none.
  [[nodiscard]] std::string throttle_group() const;
  // Of the device under the disk, once it is known.
  [[nodiscard]] std::optional<DeviceFacts> facts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace diskproof
