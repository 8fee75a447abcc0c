// Who made a device and which one it is: each bus tells it in files of its own.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "target/device_roots_linux.hpp"

namespace diskproof {
namespace {

using Properties = std::map<std::string, std::string>;

// What udev found out: "E:ID_MODEL=Samsung_SSD_860_EVO_500GB".
Properties udev_properties(DeviceNumber number, const DeviceRoots& roots) {
  Properties properties;
  std::ifstream file(roots.udev + "/b" + to_string(number));
  for (std::string line; std::getline(file, line);) {
    const auto equals = line.find('=');
    if (line.starts_with("E:") && equals != std::string::npos) {
      properties[line.substr(2, equals - 2)] = line.substr(equals + 1);
    }
  }
  return properties;
}

std::string first_of(const Properties& properties, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto found = properties.find(name);
    if (found != properties.end() && !found->second.empty()) return found->second;
  }
  return "";
}

// The unit serial number page of SCSI: four bytes of head, the last two of them the length, then the text.
std::string scsi_serial(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;  // which takes a read error, of a disk that is gone by now, as the end
  text << file.rdbuf();
  const std::string page = text.str();
  if (page.size() < 4) return "";
  const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(page[at])); };
  std::string serial = page.substr(4, (byte(2) << 8) + byte(3));
  std::erase_if(serial, [](char c) { return c < ' ' || c > '~'; });
  const auto first = serial.find_first_not_of(' ');
  return first == std::string::npos ? "" : serial.substr(first, serial.find_last_not_of(' ') - first + 1);
}

std::string or_else(std::string value, const std::string& other) { return value.empty() ? other : value; }

// "QEMU" and "QEMU HARDDISK" are one name, "ATA" is none.
std::string scsi_model(const std::string& device) {
  const std::string vendor = read_line(device + "/vendor"), model = read_line(device + "/model");
  if (vendor.empty() || vendor.starts_with("0x") || vendor == "ATA" || model.starts_with(vendor)) return model;
  return vendor + " " + model;
}

}  // namespace

void read_identity(DeviceFacts& device, const DeviceRoots& roots) {
  namespace fs = std::filesystem;
  fs::path folder = fs::weakly_canonical(roots.sys + "/class/block/" + device.name);
  DeviceNumber number = device.number;
  if (device.kind == DeviceKind::partition) {
    folder = folder.parent_path();
    number = parse_device_number(read_line((folder / "dev").string()));
  }
  const std::string disk = folder.string(), bus = disk + "/device";
  const Properties udev = udev_properties(number, roots);
  device.serial = read_line(disk + "/serial");                                // virtio
  if (device.serial.empty()) device.serial = read_line(bus + "/serial");      // NVMe, MMC
  if (device.serial.empty()) device.serial = scsi_serial(bus + "/vpd_pg80");  // SCSI, SATA
  device.serial = or_else(device.serial, first_of(udev, {"SCSI_IDENT_SERIAL", "ID_SCSI_SERIAL", "ID_SERIAL_SHORT"}));
  device.wwn = or_else(read_line(disk + "/wwid"), read_line(bus + "/wwid"));
  if (device.wwn.empty() || device.wwn.starts_with("t10.")) {  // those are vendor, model and serial in one
    device.wwn = or_else(first_of(udev, {"ID_WWN_WITH_EXTENSION", "ID_WWN"}), device.wwn);
  }
  if (device.kind == DeviceKind::device_mapper) device.wwn = device.mapping;
  if (device.kind == DeviceKind::md) device.wwn = read_line(disk + "/md/uuid");
  // SCSI cuts a model off behind 16 characters, udev does not.
  device.model = or_else(first_of(udev, {"ID_MODEL"}), scsi_model(bus));
  if (device.model.empty()) device.model = read_line(bus + "/name");  // MMC
  device.firmware = read_line(bus + "/firmware_rev");
  if (device.firmware.empty()) device.firmware = read_line(bus + "/rev");
  if (device.firmware.empty()) device.firmware = read_line(bus + "/fwrev");
  device.firmware = or_else(device.firmware, first_of(udev, {"ID_REVISION"}));
}

}  // namespace diskproof
