// A file's own size, or a fair part of the free space.
#include "target/whole_size.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "support/error.hpp"
#include "support/units.hpp"
#include "target/device_facts.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kSlack = 256;  // one part in so many stays free

std::uint64_t size_of_file(const DiskPlan& disk) {
  const FileVerdict verdict = guard_file(disk, disk.path);
  if (!verdict.exists) {
    throw Error(ErrorKind::unavailable,
                fmt::format("disk {}: `size` is a share of {}, which does not exist; write a size such as 1GiB",
                            disk.name, disk.path));
  }
  const std::uint64_t size = verdict.status.size / kPage * kPage;
  if (size > 0) return size;
  throw Error(ErrorKind::unavailable,
              fmt::format("disk {}: `size` is a share of {}, which holds less than a page; write "
                          "a size such as 1GiB",
                          disk.name, disk.path));
}

// Files that are there already give their space back as far as they are used again.
std::uint64_t usable(std::uint64_t available, const std::vector<std::uint64_t>& held, std::uint64_t size) {
  std::uint64_t sum = available;
  for (const std::uint64_t bytes : held) sum += std::min(bytes, size);
  return sum;
}

std::uint64_t share_of_free_space(const DiskPlan& disk, const FilesystemView& filesystem) {
  const std::string folder = base_folder(disk);
  require_folder(disk, folder);
  const FilesystemFacts facts = filesystem(folder);
  const std::uint64_t reserve = disk.fill ? 0 : free_space_reserve(facts.size);
  std::vector<std::uint64_t> held;
  for (const std::string& path : disk.files) {
    const FileStatus status = look_at(path);
    held.push_back(status.type == FileType::regular ? status.allocated : 0);
  }
  std::uint64_t size = ~std::uint64_t{0};
  while (true) {  // shrinks until it fits
    const std::uint64_t there = usable(facts.available, held, size);
    const std::uint64_t kept = reserve + there / kSlack;
    const std::uint64_t fair = there > kept ? (there - kept) / disk.files.size() / kPage * kPage : 0;
    if (fair >= size) return size;
    size = fair;
    if (size == 0) break;
  }
  throw Error(
      ErrorKind::unavailable,
      fmt::format("disk {}: `size` is a share of the free space of {}, but of its {} only {} are available, and a "
                  "reserve of {} stays free{}; write a size such as 1GiB",
                  disk.name, facts.mount_point, format_bytes(facts.size), format_bytes(facts.available),
                  format_bytes(reserve), disk.fill ? "" : " (`fill: true` on the disk would use it)"));
}

// Needs no right to open it.
std::uint64_t size_of_device(const DiskPlan& disk) {
  const DeviceTable table = read_devices();
  const DevicePath path = resolve_device(disk.path);
  const DeviceFacts* facts = table.find(path.number);
  if (facts != nullptr && facts->size > 0) return facts->size;
  throw Error(ErrorKind::unavailable,
              fmt::format("disk {}: `size` is a share of {}, which is no device that holds anything; write a size such "
                          "as 1GiB",
                          disk.name, disk.path));
}

// A new file system needs some of the device for itself: nine tenths less 64 MiB are for files.
std::uint64_t share_of_device(const DiskPlan& disk) {
  const std::uint64_t device = disk.kind == DiskKind::loop ? disk.capacity : size_of_device(disk);
  if (!disk.filesystem) return device / kPage * kPage;
  const std::uint64_t usable = device / 10 * 9;
  constexpr std::uint64_t kOwn = std::uint64_t{64} << 20;
  const std::uint64_t size = usable > kOwn ? (usable - kOwn) / std::max<std::size_t>(disk.files.size(), 1) : 0;
  if (size >= kPage) return size / kPage * kPage;
  throw Error(ErrorKind::unavailable,
              fmt::format("disk {}: `size` is a share of a device of {}, of which a new file system leaves too little; "
                          "write a size such as 16MiB",
                          disk.name, format_bytes(device)));
}

}  // namespace

std::uint64_t whole_size(const DiskPlan& disk, const FilesystemView& filesystem) {
  switch (disk.kind) {
    case DiskKind::file:
      return size_of_file(disk);
    case DiskKind::device:
    case DiskKind::loop:
      return share_of_device(disk);
    default:
      return share_of_free_space(disk, filesystem);
  }
}

}  // namespace diskproof
