// What devices hold, asked by a process per disk: one that is dead keeps the answers of no other one waiting.
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "support/clock.hpp"
#include "support/units.hpp"
#include "target/device_roots_linux.hpp"
#include "target/run_apart_linux.hpp"

namespace diskproof {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kAtOnce = 64;  // processes

// A disk with its partitions, or a device of another kind.
struct Look {
  std::vector<DeviceFacts*> devices;
  std::unique_ptr<ApartTask> task;
};

std::string answer(const std::vector<DeviceFacts*>& devices) {
  Json all = Json::array();
  for (const DeviceFacts* known : devices) {
    DeviceFacts device = *known;
    read_signatures(device);
    Json signatures = Json::array();
    for (const Signature& one : device.signatures) signatures.push_back({one.type, one.label, one.uuid});
    all.push_back({{"signatures", signatures}, {"fault", device.signatures_fault}, {"forbidden", device.forbidden}});
  }
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void take(const Json& json, DeviceFacts& device) {
  device.signatures_fault = json.at("fault").get<std::string>();
  device.forbidden = json.at("forbidden").get<bool>();
  for (const Json& one : json.at("signatures")) device.signatures.push_back({one.at(0), one.at(1), one.at(2)});
}

void take(const ApartResult& result, const std::vector<DeviceFacts*>& devices, std::uint64_t patience) {
  const Json answers = result.end == Apart::done ? Json::parse(result.text) : Json();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    DeviceFacts& device = *devices[i];
    device.looked_into = true;
    device.signatures.clear();
    device.forbidden = false;
    if (result.end == Apart::done) {
      take(answers.at(i), device);
    } else if (result.end == Apart::hangs) {
      device.signatures_fault = "it did not answer within " + format_ns(patience);
    } else {
      device.signatures_fault = "looking at it failed: " + result.text;
    }
  }
}

Look look_at_disk(DeviceTable& table, DeviceNumber number) {
  Look look;
  const DeviceFacts* const disk = table.find(number);
  for (DeviceFacts& device : table.devices) {
    if (disk != nullptr && (&device == disk || device.parent == disk->name)) look.devices.push_back(&device);
  }
  look.task = std::make_unique<ApartTask>([&] { return answer(look.devices); });
  return look;
}

}  // namespace

void look_into(DeviceTable& table, const std::vector<DeviceNumber>& disks, std::uint64_t patience) {
  for (std::size_t first = 0; first < disks.size(); first += kAtOnce) {
    const std::span some = std::span(disks).subspan(first, std::min(kAtOnce, disks.size() - first));
    std::vector<Look> looks;
    for (const DeviceNumber number : some) looks.push_back(look_at_disk(table, number));
    const std::uint64_t end = monotonic_ns() + patience;
    for (const Look& look : looks) take(look.task->finish(end), look.devices, patience);
  }
}

}  // namespace diskproof
