// Each reason not to write to a disk of Windows, on records of a machine; on every system.
#include <doctest/doctest.h>
#include <functional>

#include "support/error.hpp"
#include "target/device_guard.hpp"
#include "windows_machine.hpp"

namespace diskproof {
namespace {

using testing::descriptor;
using testing::disk_of;
using testing::volume_of;
using testing::windows_machine;

// Disk 1 without a mounted volume, and everything said that allows to write to it.
struct Case {
  WindowsRecords records = windows_machine();
  std::string name = "PhysicalDrive1";
  DeviceConsent consent{.disk = "data", .destroy = true, .allowed = "WD-1", .identity = {.serial = "WD-1"}};
  std::function<void(DeviceTable&)> change = [](DeviceTable&) {};

  Case() { records.volumes.pop_back(); }
  void use(const char* device, const char* id) {
    name = device;
    consent.allowed = id;
    consent.identity = {.serial = std::string(id).substr(0, std::string(id).find("-part"))};
  }

  [[nodiscard]] std::vector<Refusal> refusals() const {
    DeviceTable table = table_of(records);
    for (DeviceFacts& device : table.devices) device.looked_into = true;
    change(table);
    const DeviceFacts* device = table.find(name);
    REQUIRE(device != nullptr);
    const DevicePath path{.found = DevicePath::Found::block_device,
                          .given = device->path,
                          .resolved = device->path,
                          .named_by = device->path,
                          .number = device->number};
    return device_refusals(path, table, consent);
  }
};

struct Row {
  const char* name;
  std::function<void(Case&)> make;
  RefusalKind kind;
  const char* text;  // part of the message
};

const Row kRows[] = {
    {"mounted volume on the disk", [](Case& c) { c.records.volumes.push_back(volume_of(1, 2, "E:", "e1")); },
     RefusalKind::partition_mounted,
     R"(\\.\E:, a partition of \\.\PhysicalDrive1, is mounted at E:\ (NTFS); take it from there (`mountvol E:\ /D`))"},
    {"volume of Windows", [](Case& c) { c.use("C:", "SYSTEM0-part3"); }, RefusalKind::system_disk,
     R"(\\.\C: holds Windows; this machine cannot do without it)"},
    {"partition that the machine starts from",
     [](Case& c) { c.use("Volume{00000000-0000-0000-0000-0000000000a1}", "SYSTEM0-part1"); }, RefusalKind::system_disk,
     "holds the start of this machine"},
    {"page file",
     [](Case& c) {
       c.records.volumes.push_back(volume_of(1, 2, "P:", "b1"));
       c.records.page_files = {R"(\??\p:\pagefile.sys)"};
       c.use("P:", "WD-1-part2");
     },
     RefusalKind::page_file, R"(\\.\P: holds the page file p:\pagefile.sys; move that elsewhere)"},
    {"dynamic disk, GPT",
     [](Case& c) {
       c.records.disks[1].partitions.push_back({3, "AF9B60A0-1431-4F62-BC68-3311714A69AD"});
     },
     RefusalKind::dynamic_disk, R"(\\.\PhysicalDrive1 is one of the dynamic disks)"},
    {"dynamic disk, MBR",
     [](Case& c) {
       c.records.disks[1].partitions = {{1, "42"}};
     },
     RefusalKind::dynamic_disk, "`convert basic`"},
    {"member of a storage pool",
     [](Case& c) {
       c.records.disks[1].partitions.push_back({3, "E75CAF8F-F680-4CEE-AFA3-B001E56EFC2D"});
     },
     RefusalKind::pool_member, R"(\\.\PhysicalDrive1 is a member of a storage pool; take it out of there)"},
    {"striped volume",
     [](Case& c) {
       c.records.volumes.push_back(volume_of(1, 2, "S:", "f1"));
       c.records.volumes.back().disks = {1, 2};
     },
     RefusalKind::held, R"(\\.\PhysicalDrive1 is held by \\.\S: (volume over several disks), mounted at S:\ (NTFS))"},
    {"offline", [](Case& c) { c.records.disks[1].offline = true; }, RefusalKind::offline,
     R"(\\.\PhysicalDrive1 is offline; bring it online (diskpart: `online disk`))"},
    {"read-only", [](Case& c) { c.records.disks[1].read_only = true; }, RefusalKind::read_only,
     R"(\\.\PhysicalDrive1 is read-only; make it writable (diskpart: `attributes disk clear readonly`)"},
    {"no medium", [](Case& c) { c.records.disks[1].size = 0; }, RefusalKind::empty, "has the size 0"},
    {"USB named by its size only",
     [](Case& c) {
       c.use("PhysicalDrive2", "STICK2");
       c.consent.identity = {.size = 64'023'257'088};
     },
     RefusalKind::usb, R"(is on USB, where another disk may take its place; add `identity: {serial: "STICK2"}`)"},
    {"number without identity", [](Case& c) { c.consent.identity = {}; }, RefusalKind::moving_name,
     R"(may be another device after a reboot; add `identity: {serial: "WD-1"}`)"},
    {"letter without identity",
     [](Case& c) {
       c.records.volumes.push_back(volume_of(1, 2, "E:", "e1"));
       c.use("E:", "WD-1-part2");
       c.consent.identity = {};
     },
     RefusalKind::moving_name, R"(or name it as \\?\Volume{00000000-0000-0000-0000-0000000000e1})"},
    {"other serial", [](Case& c) { c.consent.identity.serial = "WD-2"; }, RefusalKind::identity,
     "its serial is WD-1, the job asks for WD-2"},
    {"other size", [](Case& c) { c.consent.identity.size = 5; }, RefusalKind::identity, "its size is"},
    {"no --allow-destroy",
     [](Case& c) {
       c.consent.allowed.reset();
       c.records.disks[1].table.clear();
     },
     RefusalKind::not_allowed, R"(does not allow to destroy \\.\PhysicalDrive1; add --allow-destroy data=WD-1)"},
    {"no destroy",
     [](Case& c) {
       c.consent.destroy = false;
       c.records.disks[1].table.clear();
     },
     RefusalKind::no_destroy, "set `destroy: true`"},
    {"ID of the disk for its volume",
     [](Case& c) {
       c.records.volumes.push_back(volume_of(1, 2, "", "e1"));
       c.records.volumes.back().filesystem.clear();
       c.use("Volume{00000000-0000-0000-0000-0000000000e1}", "WD-1");
     },
     RefusalKind::wrong_id, "write --allow-destroy data=WD-1-part2"},
    {"not elevated",
     [](Case& c) {
       c.change = [](DeviceTable& table) {
         for (DeviceFacts& device : table.devices) {
           device.signatures_fault = "Access denied";
           device.forbidden = true;
         }
       };
     },
     RefusalKind::not_permitted, "which a run as administrator has as a rule"},
};

TEST_CASE("Windows guard: each reason is told alone, where everything else allows to write") {
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    Case example;
    row.make(example);
    const std::vector<Refusal> refusals = example.refusals();
    REQUIRE(refusals.size() == 1);
    CHECK(refusals[0].kind == row.kind);
    CHECK(refusals[0].text.find(row.text) != std::string::npos);
  }
}

TEST_CASE("Windows guard: what may be written to") {
  CHECK(Case().refusals().empty());
  Case letter;  // its lock is refused while it is in use
  letter.records.volumes.push_back(volume_of(1, 2, "E:", "e1"));
  letter.use("E:", "WD-1-part2");
  CHECK(letter.refusals().empty());
  Case hidden;  // a volume without a place is locked with its disk
  hidden.records.volumes.push_back(volume_of(1, 2, "", "e1"));
  CHECK(hidden.refusals().empty());
  Case stick;
  stick.use("PhysicalDrive2", "STICK2");
  CHECK(stick.refusals().empty());
  Case space;  // the disk that a pool makes
  space.records.disks.push_back(disk_of(5, descriptor("Msft", "Storage Space", "", "{77}", 16), 1'000'000));
  space.use("PhysicalDrive5", "{77}");
  CHECK(space.refusals().empty());
}

TEST_CASE("Windows guard: the disk of Windows is refused for all that is on it") {
  Case example;
  example.use("PhysicalDrive0", "SYSTEM0");
  example.records.page_files = {R"(\??\C:\pagefile.sys)"};
  std::vector<RefusalKind> kinds;
  for (const Refusal& refusal : example.refusals()) kinds.push_back(refusal.kind);
  CHECK(kinds == std::vector<RefusalKind>{RefusalKind::partition_mounted, RefusalKind::system_disk,
                                          RefusalKind::page_file, RefusalKind::system_disk});
}

TEST_CASE("Windows guard: what is lost is told with the missing consent, and a refusal is one for safety") {
  Case example;
  example.records.volumes.push_back(volume_of(1, 2, "", "e1"));
  example.consent.destroy = false;
  const std::vector<Refusal> refusals = example.refusals();
  REQUIRE(refusals.size() == 3);
  CHECK(refusals[0].text == R"(\\.\PhysicalDrive1 holds gpt, which would be lost)");
  CHECK(refusals[1].text ==
        R"(\\?\Volume{00000000-0000-0000-0000-0000000000e1} holds NTFS "data", which would be lost)");
  const DeviceTable table = table_of(example.records);
  const DevicePath folder{
      .found = DevicePath::Found::directory, .given = "D:\\x", .resolved = {}, .named_by = {}, .number = {}};
  try {
    guard_device(folder, table, example.consent);
    FAIL("a folder was taken for a device");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::refused);
    CHECK(std::string(error.what()).find("D:\\x is a folder, not a block device; use `directory: D:\\x`") !=
          std::string::npos);
  }
}

TEST_CASE("Windows guard: the list of devices says what no consent overrides") {
  const DeviceTable table = [] {
    DeviceTable all = table_of(windows_machine());
    for (DeviceFacts& device : all.devices) device.looked_into = true;
    return all;
  }();
  CHECK(lasting_refusals(*table.find("PhysicalDrive2"), table).empty());
  CHECK(lasting_refusals(*table.find("E:"), table).empty());
  CHECK(lasting_refusals(*table.find("PhysicalDrive1"), table).size() == 1);
  CHECK(use_text(*table.find("E:"), table) == "mounted at E:\\ (NTFS)");
}

}  // namespace
}  // namespace diskproof
