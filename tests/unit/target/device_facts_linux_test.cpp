// What is read of devices, from trees in the form that the kernel gives.
#include <doctest/doctest.h>

#include "device_machine_linux.hpp"
#include "support/error.hpp"

namespace diskproof {
namespace {

const DeviceFacts& get(const DeviceTable& table, const std::string& name) {
  const DeviceFacts* device = table.find(name);
  REQUIRE(device != nullptr);
  return *device;
}

TEST_CASE("device facts: a disk with its partition") {
  const Machine machine;
  machine.disk("sda", "8:0");
  machine.attribute("sda", "queue/scheduler", "none [mq-deadline] kyber\n");
  machine.attribute("sda", "queue/read_ahead_kb", "128\n");
  machine.attribute("sda", "queue/write_cache", "write back\n");
  machine.attribute("sda", "diskseq", "7\n");
  machine.attribute("sda", "removable", "1\n");
  machine.attribute("sda", "device/vendor", "ATA     \n");
  machine.attribute("sda", "device/model", "Samsung SSD 860 \n");
  machine.attribute("sda", "device/rev", "4B6Q\n");
  machine.attribute("sda", "device/wwid", "naa.5002538e40b1c2d3\n");
  machine.attribute("sda", "device/vpd_pg80", std::string("\0\x80\0\x14     S3Z2NB0K123456Z", 24));
  machine.partition("sda", 3, "8:3");
  machine.attribute("sda3", "ro", "1\n");
  machine.link("dev/disk/by-path/pci-0000-ata-1", "../../sda");
  machine.link("dev/disk/by-id/ata-Samsung", "../../sda");
  machine.link("dev/disk/by-id/ata-Samsung-part3", "../../sda3");
  const DeviceTable table = machine.table();
  REQUIRE(table.devices.size() == 2);

  const DeviceFacts& disk = get(table, "sda");
  CHECK(disk.number == DeviceNumber{8, 0});
  CHECK(disk.path == "/dev/sda");
  CHECK(disk.kind == DeviceKind::disk);
  CHECK(disk.links == std::vector<std::string>{"/dev/disk/by-id/ata-Samsung", "/dev/disk/by-path/pci-0000-ata-1"});
  CHECK(disk.serial == "S3Z2NB0K123456Z");
  CHECK(disk.wwn == "naa.5002538e40b1c2d3");
  CHECK(disk.model == "Samsung SSD 860");
  CHECK(disk.firmware == "4B6Q");
  CHECK(disk.size == 1'000'204'886'016);
  CHECK(disk.logical_sector == 512);
  CHECK(disk.physical_sector == 4096);
  CHECK_FALSE(disk.rotational);
  CHECK_FALSE(disk.read_only);
  CHECK(disk.removable);
  CHECK(disk.scheduler == "mq-deadline");
  CHECK(disk.read_ahead == 131072);
  CHECK(disk.write_cache == "write back");
  CHECK(disk.sequence == 7);
  REQUIRE(table.partitions_of(disk).size() == 1);

  const DeviceFacts& part = get(table, "sda3");
  CHECK(table.partitions_of(disk).front() == &part);
  CHECK(part.kind == DeviceKind::partition);
  CHECK(part.parent == "sda");
  CHECK(part.partition == 3);
  CHECK(part.serial == "S3Z2NB0K123456Z");
  CHECK(part.read_only);
  CHECK(part.sequence == 7);
  CHECK(part.logical_sector == 512);
  CHECK(part.links == std::vector<std::string>{"/dev/disk/by-id/ata-Samsung-part3"});
}

TEST_CASE("device facts: each bus tells the serial in its own place, udev where it does not") {
  struct Row {
    const char *name, *file, *text, *serial;
  };
  for (const Row& row : {Row{"virtio", "serial", "vol-1\n", "vol-1"},
                         {"nvme", "device/serial", "S4EW   \n", "S4EW"},
                         {"udev only", "device/vendor", "Google  \n", "data"},
                         {"page cut short", "device/vpd_pg80", "\x01\x80", "data"},
                         {"page without text", "device/vpd_pg80", "\x01\x80\x01\x04    ", "data"}}) {
    CAPTURE(row.name);
    const Machine machine;
    machine.disk("sdb", "8:16");
    machine.attribute("sdb", row.file, row.text);
    machine.file("udev/b8:16", "S:disk/by-id/google-data\nE:ID_SERIAL_SHORT=data\nE:ID_MODEL=PersistentDisk\n");
    const DeviceTable table = machine.table();
    CHECK(get(table, "sdb").serial == row.serial);
    CHECK(get(table, "sdb").model == "PersistentDisk");
  }
}

TEST_CASE("device facts: kinds") {
  const Machine machine;
  machine.disk("nvme0n1", "259:0");
  machine.mapping("dm-0", "254:0", "LVM-abc", "vg-data");
  machine.device("md0", "9:0");
  machine.attribute("md0", "md/level", "raid1\n");
  machine.device("loop3", "7:3");
  machine.attribute("loop3", "loop/backing_file", "/srv/image\n");
  machine.device("zram0", "253:0");
  machine.device("cciss!c0d0", "104:0");
  machine.disk("nvme0c0n1", "259:9");
  machine.attribute("nvme0c0n1", "hidden", "1\n");
  const DeviceTable table = machine.table();
  CHECK(get(table, "nvme0n1").kind == DeviceKind::disk);
  CHECK(get(table, "dm-0").kind == DeviceKind::device_mapper);
  CHECK(get(table, "dm-0").mapped_name == "vg-data");
  CHECK(get(table, "dm-0").wwn == "LVM-abc");
  CHECK(get(table, "dm-0").links == std::vector<std::string>{"/dev/mapper/vg-data"});
  CHECK(get(table, "md0").kind == DeviceKind::md);
  CHECK(get(table, "loop3").kind == DeviceKind::loop);
  CHECK(get(table, "loop3").backing_file == "/srv/image");
  CHECK(get(table, "zram0").kind == DeviceKind::zram);
  CHECK(get(table, "cciss!c0d0").path == "/dev/cciss/c0d0");
  CHECK(table.find("nvme0c0n1") == nullptr);
}

TEST_CASE("device facts: mounts of all namespaces, each place once") {
  const Machine machine;
  machine.disk("sda", "8:0");
  machine.disk("sdb", "8:16");
  machine.disk("sdc", "8:32");
  machine.mounts(Machine::mount_line("8:0", "/", "ext4", "/dev/sda") +
                 Machine::mount_line("0:40", "/pool", "btrfs", "/dev/sdb") +
                 Machine::mount_line("0:5", "/dev", "devtmpfs", "devtmpfs"));
  const std::string there = Machine::mount_line("8:0", "/", "ext4", "/dev/sda") +
                            Machine::mount_line("8:32", "/my\\040data", "xfs", "/dev/sdc");
  machine.process("100", "mnt:[1]", Machine::mount_line("8:0", "/lie", "ext4", "/dev/sda"));
  machine.process("200", "mnt:[2]", there);
  machine.process("201", "mnt:[2]", there);
  const DeviceTable table = machine.table();
  REQUIRE(get(table, "sda").mounts.size() == 1);
  CHECK(get(table, "sda").mounts[0].mount_point == "/");
  CHECK(get(table, "sda").mounts[0].process == 0);
  REQUIRE(get(table, "sdb").mounts.size() == 1);
  CHECK(get(table, "sdb").mounts[0].type == "btrfs");
  REQUIRE(get(table, "sdc").mounts.size() == 1);
  CHECK(get(table, "sdc").mounts[0].mount_point == "/my data");
  CHECK(get(table, "sdc").mounts[0].process == 200);
}

TEST_CASE("device facts: swap, btrfs members and ZFS pools") {
  const Machine machine;
  machine.disk("sda", "8:0");
  machine.partition("sda", 2, "8:2");
  machine.mapping("dm-1", "254:1", "LVM-x", "vg-swap");
  machine.disk("sdb", "8:16");
  machine.file("proc/swaps",
               "Filename Type Size Used Priority\n/dev/sda2 partition 8 0 -2\n/dev/mapper/vg-swap partition 8 0 -3\n");
  machine.link("sys/fs/btrfs/6ba7/devices/sdb", "../../../../devices/sdb");
  machine.file("proc/spl/kstat/zfs/tank/state", "ONLINE\n");
  machine.file("proc/spl/kstat/zfs/arcstats", "1\n");
  const DeviceTable table = machine.table();
  CHECK(get(table, "sda2").swap);
  CHECK_FALSE(get(table, "sda").swap);
  CHECK(get(table, "dm-1").swap);
  CHECK(get(table, "sdb").btrfs == "6ba7");
  CHECK(table.zfs_pools == std::vector<std::string>{"tank"});
}

TEST_CASE("device facts: without sysfs nothing can be said, without the rest something") {
  const TempFolder folder;
  const DeviceRoots roots{.sys = folder.path("sys"), .proc = folder.path("p"), .dev = folder.path("d"), .udev = ""};
  CHECK_THROWS_WITH_AS(read_devices(roots), doctest::Contains("cannot list the block devices: there is no "), Error);
  std::filesystem::create_directories(folder.path("sys/class/block"));
  CHECK(read_devices(roots).devices.empty());
}

TEST_CASE("device facts: numbers") {
  for (const char* text : {"", "8", "8:", ":1", "8:1x", "x", "99999999999:0"}) {
    CAPTURE(text);
    CHECK(parse_device_number(text) == DeviceNumber{});
  }
  CHECK(parse_device_number("259:12") == DeviceNumber{259, 12});
}

TEST_CASE("device facts: a disk that is gone while it is read has no serial") {
  const Machine machine;
  machine.disk("sdb", "8:16");
  machine.link("sys/devices/sdb/device/vpd_pg80", "/proc/self/mem");  // whose first byte cannot be read
  CHECK(machine.table().find("sdb")->serial == "");
}

}  // namespace
}  // namespace diskproof
