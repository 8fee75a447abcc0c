// From what Windows answers to facts: descriptors with faults, names of devices, what a volume has of its disk.
#include <doctest/doctest.h>

#include "target/windows_descriptor.hpp"
#include "windows_machine.hpp"

namespace diskproof {
namespace {

using testing::descriptor;
using testing::windows_machine;

TEST_CASE("Windows descriptor: model, firmware, serial and bus") {
  const DiskDescriptor nvme = parse_disk_descriptor(descriptor("NVMe", "Samsung SSD 980", "3B4Q", " S64D_0001.  ", 17));
  CHECK(nvme.model == "Samsung SSD 980");
  CHECK(nvme.firmware == "3B4Q");
  CHECK(nvme.serial == "S64D_0001.");
  CHECK(nvme.bus == "NVMe");
  CHECK(parse_disk_descriptor(descriptor("SanDisk ", "Extreme", "", "", 7)).model == "SanDisk Extreme");
  CHECK(parse_disk_descriptor(descriptor("WDC", "WDC WUS4", "", "", 11)).model == "WDC WUS4");
  CHECK(parse_disk_descriptor(descriptor("", "x", "", "", 200)).bus.empty());
}

TEST_CASE("Windows descriptor: offsets that lead nowhere, and answers cut off at any byte") {
  std::vector<std::uint8_t> bytes = descriptor("A", "B", "C", "D", 11);
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    CHECK(parse_disk_descriptor(std::span(bytes).first(length)).model.size() <= 3);
  }
  bytes[27] = 0xFF;  // the serial's offset
  CHECK(parse_disk_descriptor(bytes).serial.empty());
  CHECK(parse_disk_descriptor(bytes).model == "A B");
}

TEST_CASE("Windows descriptor: the WWN of the device, not that of its port") {
  std::vector<std::uint8_t> bytes{16, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0};
  const auto add = [&](std::uint8_t type, std::uint8_t association, std::initializer_list<std::uint8_t> id) {
    bytes.insert(bytes.end(), {1, 0, 0, 0, type, 0, 0, 0, static_cast<std::uint8_t>(id.size()), 0,
                               static_cast<std::uint8_t>(16 + id.size()), 0, association, 0, 0, 0});
    bytes.insert(bytes.end(), id);
  };
  add(3, 1, {0x11, 0x22});
  add(3, 0, {0x50, 0x02, 0x53, 0x8E});
  CHECK(parse_wwn(bytes) == "naa.5002538e");
  for (std::size_t length = 0; length < bytes.size(); ++length)
    CHECK(parse_wwn(std::span(bytes).first(length)).empty());
}

TEST_CASE("Windows records: a volume has the identity of its disk, and a name that lasts") {
  const DeviceTable table = table_of(windows_machine());
  const DeviceFacts* volume = table.find("E:");
  REQUIRE(volume != nullptr);
  CHECK(volume->path == R"(\\.\E:)");
  CHECK(volume->links == std::vector<std::string>{R"(\\?\Volume{00000000-0000-0000-0000-0000000000e1})"});
  CHECK(volume->serial == "WD-1");
  CHECK(volume->bus == "SATA");
  CHECK(volume->parent == "PhysicalDrive1");
  CHECK(volume->number == DeviceNumber{2, 258});
  CHECK(table.find(DeviceNumber{1, 2})->path == R"(\\.\PhysicalDrive2)");
  CHECK(table.find(DeviceNumber{}) == nullptr);
  CHECK(table.find("PhysicalDrive0")->model == "Samsung SSD 980");
}

TEST_CASE("Windows device names: however they are written, and what is none") {
  struct Row {
    const char* given;
    const char* path;  // empty: no device
  };
  for (const Row& row :
       {Row{R"(\\.\PhysicalDrive1)", R"(\\.\PhysicalDrive1)"},
        {R"(\\.\physicaldrive12)", R"(\\.\PhysicalDrive12)"},
        {R"(//./PHYSICALDRIVE0)", R"(\\.\PhysicalDrive0)"},
        {R"(\\.\e:)", R"(\\.\E:)"},
        {R"(\\?\E:)", R"(\\.\E:)"},
        {R"(\\?\Volume{00000000-0000-0000-0000-0000000000e1})", R"(\\?\Volume{00000000-0000-0000-0000-0000000000e1})"},
        {R"(\\?\Volume{00000000-0000-0000-0000-0000000000e1}\)", ""},
        {R"(\\.\E:\)", ""},
        {R"(\\.\E:\file)", ""},
        {R"(E:)", ""},
        {R"(\\.\PhysicalDrive)", ""},
        {R"(\\.\PhysicalDrive01)", ""},
        {R"(\\.\PhysicalDrive1x)", ""},
        {R"(\\server\share)", ""},
        {"", ""}}) {
    CAPTURE(row.given);
    const auto name = parse_windows_device(row.given);
    CHECK((name ? name->path : "") == row.path);
  }
}

}  // namespace
}  // namespace diskproof
