// Devices, images and shares are prepared on Linux only.
#include "support/error.hpp"
#include "target/device_setup.hpp"

namespace diskproof {

struct DeviceSetup::State {
  std::string disk;
};

DeviceSetup::DeviceSetup(const DiskPlan& disk, GuardedDevice, Journal&, std::function<bool()>)
    : state_(std::make_unique<State>(State{disk.name})) {}
DeviceSetup::~DeviceSetup() = default;
DeviceSetup::DeviceSetup(DeviceSetup&&) noexcept = default;

void DeviceSetup::run(const Step&) {
  throw Error(ErrorKind::unavailable, "disk " + state_->disk +
                                          ": this kind of disk is not prepared on Windows; use a "
                                          "file or directory on it");
}

void DeviceSetup::close() {}
bool DeviceSetup::quiet(std::uint64_t) const { return true; }
int DeviceSetup::descriptor() const noexcept { return -1; }
std::string DeviceSetup::throttle_group() const { return ""; }
std::optional<DeviceFacts> DeviceSetup::facts() const { return std::nullopt; }

}  // namespace diskproof
