// Disks: their descriptors, sectors, state and partitions.
#include "target/disk_records_windows.hpp"

#include <fmt/format.h>

#include "target/storage_query_windows.hpp"

namespace diskproof {
namespace {

// Not in every system's headers.
constexpr DWORD kGetDiskAttributes = CTL_CODE(IOCTL_DISK_BASE, 0x003C, METHOD_BUFFERED, FILE_ANY_ACCESS);
struct DiskAttributes {
  DWORD version, reserved;
  ULONGLONG attributes;
};
constexpr ULONGLONG kOffline = 1, kReadOnly = 2;
constexpr auto kDeviceId = static_cast<STORAGE_PROPERTY_ID>(2), kWriteCache = static_cast<STORAGE_PROPERTY_ID>(4),
               kAlignment = static_cast<STORAGE_PROPERTY_ID>(6), kSeekPenalty = static_cast<STORAGE_PROPERTY_ID>(7);

std::string guid_text(const GUID& guid) {
  std::string text = fmt::format("{:08X}-{:04X}-{:04X}-{:02X}{:02X}-", guid.Data1, guid.Data2, guid.Data3,
                                 guid.Data4[0], guid.Data4[1]);
  for (int i = 2; i < 8; ++i) text += fmt::format("{:02X}", guid.Data4[i]);
  return text;
}

void read_partitions(HANDLE device, WindowsDisk& disk) {
  const std::vector<std::uint8_t> answer = ask(device, IOCTL_DISK_GET_DRIVE_LAYOUT_EX);
  constexpr std::size_t kFirst = offsetof(DRIVE_LAYOUT_INFORMATION_EX, PartitionEntry);
  if (answer.size() < kFirst) return;
  DRIVE_LAYOUT_INFORMATION_EX head{};
  std::memcpy(&head, answer.data(), kFirst);
  if (head.PartitionStyle == PARTITION_STYLE_GPT) disk.table = "gpt";
  if (head.PartitionStyle == PARTITION_STYLE_MBR && head.PartitionCount > 0) disk.table = "mbr";
  for (DWORD i = 0; i < head.PartitionCount; ++i) {
    const std::size_t at = kFirst + i * sizeof(PARTITION_INFORMATION_EX);
    PARTITION_INFORMATION_EX one{};
    if (answer.size() < at + sizeof one) return;
    std::memcpy(&one, answer.data() + at, sizeof one);
    if (one.PartitionNumber == 0) continue;
    disk.partitions.push_back({one.PartitionNumber, disk.table == "gpt"
                                                        ? guid_text(one.Gpt.PartitionType)
                                                        : fmt::format("{:02X}", one.Mbr.PartitionType)});
  }
}

std::string write_cache(HANDLE device) {
  struct Answer {  // STORAGE_WRITE_CACHE_PROPERTY
    DWORD version, size, type, enabled;
  };
  const auto told = begin_of<Answer>(ask_property(device, kWriteCache));
  constexpr DWORD kDisabled = 1, kEnabled = 2, kBack = 2, kThrough = 3;
  if (told.enabled == kDisabled || told.type == kThrough) return "write through";
  return told.enabled == kEnabled || told.type == kBack ? "write back" : "";
}

void read_sectors(HANDLE device, WindowsDisk& disk) {
  struct Answer {  // STORAGE_ACCESS_ALIGNMENT_DESCRIPTOR
    DWORD version, size, cache_line, cache_offset, logical, physical, physical_offset;
  };
  const auto told = begin_of<Answer>(ask_property(device, kAlignment));
  disk.logical_sector = told.logical;
  disk.physical_sector = told.physical;
  if (disk.logical_sector != 0) return;
  disk.logical_sector = begin_of<DISK_GEOMETRY>(ask(device, IOCTL_DISK_GET_DRIVE_GEOMETRY)).BytesPerSector;
  disk.physical_sector = disk.logical_sector;
}

}  // namespace

bool is_write_protected(HANDLE device) {
  DWORD got = 0;
  return DeviceIoControl(device, IOCTL_DISK_IS_WRITABLE, nullptr, 0, nullptr, 0, &got, nullptr) == 0 &&
         GetLastError() == ERROR_WRITE_PROTECT;
}

std::optional<WindowsDisk> read_disk(std::uint32_t number) {
  const Handle device = open_device(fmt::format("\\\\.\\PhysicalDrive{}", number), 0);
  if (!device) return std::nullopt;
  WindowsDisk disk;
  disk.number = number;
  disk.descriptor = ask_property(device.get(), StorageDeviceProperty);
  disk.identifiers = ask_property(device.get(), kDeviceId);
  disk.size = device_size(device.get());
  read_sectors(device.get(), disk);
  struct Penalty {  // DEVICE_SEEK_PENALTY_DESCRIPTOR
    DWORD version, size;
    BOOLEAN incurs;
  };
  disk.rotational = begin_of<Penalty>(ask_property(device.get(), kSeekPenalty)).incurs != 0;
  disk.write_cache = write_cache(device.get());
  const auto state = begin_of<DiskAttributes>(ask(device.get(), kGetDiskAttributes)).attributes;
  disk.offline = (state & kOffline) != 0;
  disk.read_only = (state & kReadOnly) != 0 || is_write_protected(device.get());
  read_partitions(device.get(), disk);
  return disk;
}

}  // namespace diskproof
