// `diskproof devices [--json]`.
#include <ostream>
#include <vector>

#include "cli/commands.hpp"
#include "cli/device_view.hpp"

namespace diskproof {

int devices_command(const DevicesRequest& request, Terminal& terminal) {
  DeviceTable table = read_devices();
  std::vector<DeviceNumber> disks;  // a disk is looked into with its partitions
  for (const DeviceFacts& device : table.devices) {
    if (device.parent.empty()) disks.push_back(device.number);
  }
  look_into(table, disks);
  if (request.json) {
    terminal.out << devices_json(table);
  } else {
    terminal.show(devices_text(table));
  }
  return 0;
}

}  // namespace diskproof
