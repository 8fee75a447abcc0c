// Records of a Windows machine, as its calls gave them: disk 0 with Windows, disk 1 with a volume, disk 2 on USB.
#pragma once

#include <cstring>
#include <string>

#include "target/windows_records.hpp"

namespace diskproof::testing {

// STORAGE_DEVICE_DESCRIPTOR with its four texts behind it.
inline std::vector<std::uint8_t> descriptor(const char* vendor, const char* product, const char* revision,
                                            const char* serial, std::uint8_t bus) {
  std::vector<std::uint8_t> bytes(40, 0);
  std::size_t field = 12;
  for (const char* text : {vendor, product, revision, serial}) {
    if (*text != 0) bytes[field] = static_cast<std::uint8_t>(bytes.size());
    field += 4;
    if (*text != 0) bytes.insert(bytes.end(), text, text + std::strlen(text) + 1);
  }
  bytes[0] = 40;
  bytes[4] = static_cast<std::uint8_t>(bytes.size());
  bytes[28] = bus;
  return bytes;
}

inline WindowsDisk disk_of(std::uint32_t number, std::vector<std::uint8_t> told, std::uint64_t size) {
  WindowsDisk disk;
  disk.number = number;
  disk.descriptor = std::move(told);
  disk.size = size;
  disk.logical_sector = 512;
  disk.physical_sector = 4096;
  disk.write_cache = "write back";
  disk.table = "gpt";
  return disk;
}

inline WindowsVolume volume_of(std::uint32_t disk, std::uint32_t partition, const char* letter, const char* guid) {
  WindowsVolume volume;
  volume.name = std::string("Volume{00000000-0000-0000-0000-0000000000") + guid + "}";
  if (*letter != 0) volume.mount_points = {std::string(letter) + "\\"};
  volume.letter = letter;
  volume.filesystem = "NTFS";
  volume.label = "data";
  volume.disks = {disk};
  volume.partition = partition;
  volume.size = 500'000'000'000;
  return volume;
}

inline WindowsRecords windows_machine() {
  WindowsRecords records;
  records.disks.push_back(
      disk_of(0, descriptor("NVMe", "Samsung SSD 980", "3B4QFXO7", "SYSTEM0", 17), 512'110'190'592));
  records.disks.push_back(disk_of(1, descriptor("", "WDC WUS4", "R221", "WD-1", 11), 1'000'204'886'016));
  records.disks.push_back(disk_of(2, descriptor("SanDisk", "Extreme", "1012", "STICK2", 7), 64'023'257'088));
  records.disks[0].partitions = {{1, "C12A7328-F81F-11D2-BA4B-00A0C93EC93B"},
                                 {3, "EBD0A0A2-B9E5-4433-87C0-68B6B72699C7"}};
  records.disks[1].partitions = {{2, "EBD0A0A2-B9E5-4433-87C0-68B6B72699C7"}};
  records.volumes.push_back(volume_of(0, 3, "C:", "c3"));
  records.volumes.push_back(volume_of(0, 1, "", "a1"));
  records.volumes[1].filesystem = "FAT32";
  records.volumes.push_back(volume_of(1, 2, "E:", "e1"));
  records.windows_mount = "C:\\";
  records.system_partition = windows_volume_number(0, 1);
  return records;
}

}  // namespace diskproof::testing
