// Offsets of the structures in winioctl.h, which are part of the interface and never change.
#include "target/windows_descriptor.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace diskproof {
namespace {

using Bytes = std::span<const std::uint8_t>;

std::uint32_t number_at(Bytes bytes, std::size_t at, std::size_t width) {
  std::uint32_t value = 0;
  if (at > bytes.size() || width > bytes.size() - at) return 0;
  for (std::size_t i = width; i-- > 0;) value = value << 8 | bytes[at + i];
  return value;
}

// Text that ends with a zero or the bytes, without blanks at its ends and without what is no printable character.
std::string text_at(Bytes bytes, std::size_t at) {
  std::string text;
  for (std::size_t i = at; at != 0 && i < bytes.size() && bytes[i] != 0; ++i) {
    if (bytes[i] >= 0x20 && bytes[i] < 0x7F) text += static_cast<char>(bytes[i]);
  }
  const auto begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

// STORAGE_BUS_TYPE.
constexpr std::array<const char*, 20> kBuses{
    "",    "SCSI", "ATAPI", "ATA", "IEEE 1394", "SSA",   "Fibre Channel",  "USB",  "RAID", "iSCSI",
    "SAS", "SATA", "SD",    "MMC", "virtual",   "image", "Storage Spaces", "NVMe", "SCM",  "UFS"};

}  // namespace

DiskDescriptor parse_disk_descriptor(Bytes bytes) {
  constexpr std::size_t kRemovable = 10, kVendor = 12, kProduct = 16, kRevision = 20, kSerial = 24, kBus = 28;
  DiskDescriptor out;
  const std::string vendor = text_at(bytes, number_at(bytes, kVendor, 4));
  const std::string product = text_at(bytes, number_at(bytes, kProduct, 4));
  const bool told = !vendor.empty() && vendor != "NVMe" && vendor != "ATA";  // the others are no vendors
  out.model = told && !product.starts_with(vendor) ? fmt::format("{} {}", vendor, product) : product;
  out.firmware = text_at(bytes, number_at(bytes, kRevision, 4));
  out.serial = text_at(bytes, number_at(bytes, kSerial, 4));
  const std::uint32_t bus = number_at(bytes, kBus, 4);
  out.bus = bus < kBuses.size() ? kBuses[bus] : "";
  out.removable = number_at(bytes, kRemovable, 1) != 0;
  return out;
}

std::string parse_wwn(Bytes bytes) {
  constexpr std::size_t kCount = 8, kFirst = 12, kHeader = 16;
  constexpr std::uint32_t kBinary = 1, kEui = 2, kNaa = 3, kOfDevice = 0;
  std::size_t at = kFirst;
  for (std::uint32_t left = number_at(bytes, kCount, 4); left > 0 && at + kHeader <= bytes.size(); --left) {
    const std::uint32_t code = number_at(bytes, at, 4), type = number_at(bytes, at + 4, 4);
    const std::uint32_t size = number_at(bytes, at + 8, 2), next = number_at(bytes, at + 10, 2);
    const bool fits = size > 0 && size <= bytes.size() - at - kHeader;
    const bool known = code == kBinary && (type == kEui || type == kNaa) && number_at(bytes, at + 12, 4) == kOfDevice;
    if (fits && known) {
      std::string text = type == kEui ? "eui." : "naa.";
      for (const std::uint8_t byte : bytes.subspan(at + kHeader, size)) text += fmt::format("{:02x}", byte);
      return text;
    }
    if (next == 0) break;
    at += next;
  }
  return "";
}

}  // namespace diskproof
