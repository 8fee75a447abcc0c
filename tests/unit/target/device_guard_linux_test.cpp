// Each reason not to write to a device, on machines made of files.
#include <doctest/doctest.h>
#include <functional>

#include "device_machine_linux.hpp"
#include "support/error.hpp"

namespace diskproof {
namespace {

constexpr const char* kById = "/dev/disk/by-id/virtio-vol1";

// A disk with a serial and a partition, both free, and everything said that allows to write to them.
struct Case {
  Machine machine;
  std::string name = "sdb", named_by = kById;
  DeviceConsent consent{.disk = "data", .destroy = true, .allowed = "VOL1", .identity = {}};
  std::function<void(DeviceTable&)> change = [](DeviceTable&) {};

  Case() {
    machine.disk("sdb", "8:16");
    machine.attribute("sdb", "serial", "VOL1\n");
    machine.partition("sdb", 1, "8:17");
  }
  void use_partition() {
    name = "sdb1";
    consent.allowed = "VOL1-part1";
  }
  void has(const std::string& device, const Signature& signature) {
    change = [=, before = change](DeviceTable& table) {
      before(table);
      for (DeviceFacts& facts : table.devices) {
        if (facts.name == device) facts.signatures.push_back(signature);
      }
    };
  }

  [[nodiscard]] std::vector<Refusal> refusals() const {
    DeviceTable table = machine.table();
    change(table);
    const DeviceFacts* device = table.find(name);
    REQUIRE(device != nullptr);
    return device_refusals(path_to(*device, named_by), table, consent);
  }
};

std::string mount_of(const char* number, const char* place) {
  return Machine::mount_line(number, place, "ext4", "/dev/x");
}

struct Row {
  const char* name;
  std::function<void(Case&)> make;
  RefusalKind kind;
  const char* text;  // part of the message
};

const Row kRows[] = {
    {"mounted", [](Case& c) { c.machine.mounts(mount_of("8:16", "/srv")); }, RefusalKind::mounted,
     "/dev/sdb is mounted at /srv (ext4); unmount it"},
    {"mounted in another namespace", [](Case& c) { c.machine.process("4711", "mnt:[9]", mount_of("8:16", "/mnt")); },
     RefusalKind::mounted, "mounted at /mnt (ext4) in the mount namespace of process 4711"},
    {"partition mounted", [](Case& c) { c.machine.mounts(mount_of("8:17", "/")); }, RefusalKind::partition_mounted,
     "/dev/sdb1, a partition of /dev/sdb, is mounted at / (ext4)"},
    {"disk of the partition mounted",
     [](Case& c) {
       c.use_partition();
       c.machine.mounts(mount_of("8:16", "/srv"));
     },
     RefusalKind::parent_in_use, "/dev/sdb, of which /dev/sdb1 is a partition, is mounted at /srv"},
    {"disk of the partition held",
     [](Case& c) {
       c.use_partition();
       c.machine.device("md0", "9:0");
       c.machine.attribute("md0", "md/level", "raid1");
       c.machine.holds("md0", "sdb");
     },
     RefusalKind::parent_in_use, "/dev/sdb, of which /dev/sdb1 is a partition, is held by /dev/md0 (RAID)"},
    {"swap", [](Case& c) { c.machine.file("proc/swaps", "Filename\n/dev/sdb partition 1 0 -2\n"); }, RefusalKind::swap,
     "/dev/sdb is swap space in use; `swapoff /dev/sdb`"},
    {"partition is swap", [](Case& c) { c.machine.file("proc/swaps", "Filename\n/dev/sdb1 partition 1 0 -2\n"); },
     RefusalKind::swap, "/dev/sdb1, a partition of /dev/sdb, is swap space in use"},
    {"LVM",
     [](Case& c) {
       c.machine.mapping("dm-0", "254:0", "LVM-x", "vg-data");
       c.machine.holds("dm-0", "sdb");
       c.machine.mounts(mount_of("254:0", "/srv"));
     },
     RefusalKind::held, "/dev/sdb is held by /dev/dm-0 (LVM volume vg-data), mounted at /srv (ext4)"},
    {"LVM on the partition",
     [](Case& c) {
       c.machine.mapping("dm-0", "254:0", "LVM-x", "vg-data");
       c.machine.holds("dm-0", "sdb1");
     },
     RefusalKind::held, "/dev/sdb1, a partition of /dev/sdb, is held by /dev/dm-0 (LVM volume vg-data)"},
    {"encrypted",
     [](Case& c) {
       c.machine.mapping("dm-0", "254:0", "CRYPT-LUKS2-x", "secret");
       c.machine.holds("dm-0", "sdb");
     },
     RefusalKind::held, "(encrypted volume secret)"},
    {"multipath",
     [](Case& c) {
       c.machine.mapping("dm-0", "254:0", "mpath-3600", "mpatha");
       c.machine.holds("dm-0", "sdb");
     },
     RefusalKind::held, "(multipath device mpatha)"},
    {"other mapping",
     [](Case& c) {
       c.machine.mapping("dm-0", "254:0", "", "delayed");
       c.machine.holds("dm-0", "sdb");
     },
     RefusalKind::held, "(device mapper delayed)"},
    {"bcache",
     [](Case& c) {
       c.machine.device("bcache0", "252:0");
       c.machine.holds("bcache0", "sdb");
     },
     RefusalKind::held, "/dev/bcache0 (bcache)"},
    {"holder that is not listed", [](Case& c) { c.machine.holds("drbd5", "sdb"); }, RefusalKind::held,
     "held by /dev/drbd5"},
    {"loop device attached to it",
     [](Case& c) {
       c.machine.device("loop4", "7:4");
       c.machine.attribute("loop4", "loop/backing_file", "/dev/sdb\n");
     },
     RefusalKind::held, "held by /dev/loop4 (loop device)"},
    {"loop device on a disk with a mounted partition",
     [](Case& c) {
       c.machine.device("loop4", "7:4");
       c.machine.attribute("loop4", "loop/backing_file", "/dev/sdb\n");
       c.machine.mounts(mount_of("8:17", "/"));
       c.name = "loop4";
       c.consent.allowed = "";
     },
     RefusalKind::parent_in_use,
     "/dev/loop4 lies on /dev/sdb: /dev/sdb1, a partition of /dev/sdb, is mounted at / (ext4)"},
    {"mounted at many places",
     [](Case& c) {
       std::string lines;
       for (const char* place : {"/a", "/b", "/c", "/d", "/e"}) lines += mount_of("8:16", place);
       c.machine.mounts(lines);
     },
     RefusalKind::mounted, "is mounted at /a (ext4), /b (ext4), /c (ext4) and 2 more; unmount it"},
    {"btrfs member", [](Case& c) { c.machine.link("sys/fs/btrfs/6ba7/devices/sdb", "x"); }, RefusalKind::pool_member,
     "/dev/sdb is a member of the mounted btrfs 6ba7"},
    {"ZFS member on the partition",
     [](Case& c) {
       c.machine.file("proc/spl/kstat/zfs/tank/state", "ONLINE");
       c.has("sdb1", {.type = "zfs_member", .label = "tank", .uuid = "1"});
     },
     RefusalKind::pool_member, "/dev/sdb1, a partition of /dev/sdb, is a member of the imported ZFS pool tank"},
    {"ZFS member without a name",
     [](Case& c) {
       c.machine.file("proc/spl/kstat/zfs/tank/state", "ONLINE");
       c.has("sdb", {.type = "zfs_member", .label = "", .uuid = "1"});
     },
     RefusalKind::pool_member, "ZFS pool that may be imported (tank)"},
    {"size 0", [](Case& c) { c.machine.attribute("sdb", "size", "0\n"); }, RefusalKind::empty,
     "/dev/sdb has the size 0"},
    {"read-only", [](Case& c) { c.machine.attribute("sdb", "ro", "1\n"); }, RefusalKind::read_only,
     "/dev/sdb is read-only"},
    {"kernel name", [](Case& c) { c.named_by = "/dev/sdb"; }, RefusalKind::moving_name,
     "may be another device after a reboot; add `identity: {serial: \"VOL1\"}`"},
    {"node outside of /dev", [](Case& c) { c.named_by = ""; }, RefusalKind::moving_name, "is a name of the kernel"},
    {"kernel name of a mapping",
     [](Case& c) {
       c.machine.mapping("dm-0", "254:0", "LVM-x", "vg-data");
       c.name = "dm-0";
       c.named_by = "/dev/dm-0";
       c.consent.allowed = "LVM-x";
     },
     RefusalKind::moving_name, "or name it as /dev/mapper/vg-data"},
    {"identity", [](Case& c) { c.consent.identity.serial = "VOL2"; }, RefusalKind::identity,
     "/dev/sdb is not the device of the job: its serial is VOL1, the job asks for VOL2"},
    {"no destroy", [](Case& c) { c.consent.destroy = false; }, RefusalKind::no_destroy, "set `destroy: true`"},
    {"no --allow-destroy", [](Case& c) { c.consent.allowed.reset(); }, RefusalKind::not_allowed,
     "the command line does not allow to destroy /dev/sdb; add --allow-destroy data=VOL1"},
    {"wrong ID", [](Case& c) { c.consent.allowed = "VOL2"; }, RefusalKind::wrong_id,
     "--allow-destroy data=VOL2 is for another device: /dev/sdb has another ID; if it is the right one, write "
     "--allow-destroy data=VOL1"},
    {"ID of the whole disk for a partition",
     [](Case& c) {
       c.use_partition();
       c.consent.allowed = "VOL1";
     },
     RefusalKind::wrong_id, "write --allow-destroy data=VOL1-part1"},
    {"bare name", [](Case& c) { c.consent.allowed = ""; }, RefusalKind::id_needed, "write --allow-destroy data=VOL1"},
    {"ID for a device that has none",
     [](Case& c) {
       c.machine.device("loop3", "7:3");
       c.name = "loop3";
     },
     RefusalKind::wrong_id,
     "/dev/loop3 has neither serial nor WWN; if it is the right one, write --allow-destroy data"},
    {"content not read", [](Case& c) { c.change = [](DeviceTable& t) { t.devices[0].signatures_fault = "EIO"; }; },
     RefusalKind::unreadable, "what /dev/sdb holds cannot be read: EIO"},
    {"content not looked at", [](Case& c) { c.change = [](DeviceTable& t) { t.devices[0].looked_into = false; }; },
     RefusalKind::unreadable, "nobody looked"},
};

TEST_CASE("device guard: each reason is told alone, where everything else allows to write") {
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    Case example;
    row.make(example);
    const std::vector<Refusal> refusals = example.refusals();
    REQUIRE(refusals.size() == 1);
    CHECK(refusals[0].kind == row.kind);
    CAPTURE(refusals[0].text);
    CHECK(refusals[0].text.find(row.text) != std::string::npos);
  }
}

TEST_CASE("device guard: what may be written to") {
  CHECK(Case().refusals().empty());
  Case named;
  named.named_by = "/dev/sdb";
  named.consent.identity = {.serial = "VOL1", .size = 1'000'204'886'016};
  CHECK(named.refusals().empty());
  Case part;
  part.use_partition();
  part.machine.partition("sdb", 2, "8:18");
  part.machine.mounts(mount_of("8:18", "/"));  // another partition of its disk
  CHECK(part.refusals().empty());
  Case full;  // consent covers what is on it, an exported pool too
  full.has("sdb", {.type = "ext4", .label = "old", .uuid = "1"});
  full.has("sdb1", {.type = "zfs_member", .label = "tank", .uuid = "1"});
  CHECK(full.refusals().empty());
  Case loop;
  loop.machine.device("loop3", "7:3");
  loop.name = "loop3";
  loop.named_by = "/dev/loop3";
  loop.consent.allowed = "";
  CHECK(loop.refusals().empty());
}

TEST_CASE("device guard: what is on a device is told as long as consent is not complete") {
  const std::function<void(Case&)> gaps[] = {[](Case& c) { c.consent.destroy = false; },
                                             [](Case& c) { c.consent.allowed.reset(); },
                                             [](Case& c) { c.consent.allowed = "VOL2"; }};
  for (const auto& gap : gaps) {
    Case example;
    example.has("sdb", {.type = "gpt", .label = "", .uuid = "77"});
    example.has("sdb1", {.type = "ext4", .label = "photos", .uuid = ""});
    gap(example);
    const std::vector<Refusal> refusals = example.refusals();
    REQUIRE(refusals.size() == 3);
    CHECK(refusals[0].text == "/dev/sdb holds gpt, UUID 77, which would be lost");
    CHECK(refusals[1].text == "/dev/sdb1 holds ext4 \"photos\", which would be lost");
    CHECK(refusals[0].kind == RefusalKind::signature);
  }
}

TEST_CASE("device guard: all reasons at once, and no consent helps a mounted device") {
  Case example;
  example.machine.mounts(mount_of("8:17", "/"));
  example.machine.attribute("sdb", "ro", "1\n");
  example.has("sdb1", {.type = "ext4", .label = "", .uuid = ""});
  example.consent = {.disk = "data", .destroy = false, .allowed = {}, .identity = {.model = "X"}};
  std::vector<RefusalKind> kinds;
  for (const Refusal& refusal : example.refusals()) kinds.push_back(refusal.kind);
  CHECK(kinds == std::vector<RefusalKind>{RefusalKind::partition_mounted, RefusalKind::read_only, RefusalKind::identity,
                                          RefusalKind::signature, RefusalKind::no_destroy, RefusalKind::not_allowed});
  const DeviceTable table = example.machine.table();
  const DevicePath path = path_to(*table.find("sdb"), kById);
  CHECK_THROWS_WITH_AS(
      guard_device(path, table, example.consent),
      doctest::Contains("disk data (/dev/disk/by-id/virtio-vol1): /dev/sdb1, a partition of /dev/sdb, is mounted"),
      Error);
}

TEST_CASE("device guard: no two disks of a job share a device") {
  const auto device = [](std::uint32_t minor, const char* name, const char* parent = "") {
    DeviceFacts facts;
    facts.number = {8, minor};
    facts.name = name;
    facts.path = std::string("/dev/") + name;
    facts.parent = parent;
    return facts;
  };
  const struct {
    const char* name;
    DeviceFacts left, right;
    const char* says;
  } rows[] = {
      {"two devices", device(0, "sda"), device(16, "sdb"), ""},
      {"two partitions of one", device(1, "sda1", "sda"), device(2, "sda2", "sda"), ""},
      {"one under two names", device(0, "sda"), device(0, "sda"), "is the same device"},
      {"a disk and its partition", device(0, "sda"), device(1, "sda1", "sda"), "are a device and a part of it"},
      {"a partition and its disk", device(1, "sda1", "sda"), device(0, "sda"), "are a device and a part of it"},
  };
  for (const auto& row : rows) {
    INFO(row.name);
    std::string said;
    try {
      guard_distinct({{"left", row.left}, {"right", row.right}});
    } catch (const Error& error) {
      said = error.what();
      CHECK(error.kind() == ErrorKind::refused);
    }
    CHECK(said.empty() == std::string(row.says).empty());
    CHECK(said.find(row.says) != std::string::npos);
  }
}

TEST_CASE("device guard: what is no block device") {
  struct Place {
    DevicePath::Found found;
    RefusalKind kind;
    const char* text;
  };
  using Found = DevicePath::Found;
  const DeviceConsent consent{.disk = "d", .destroy = true, .allowed = "", .identity = {}};
  for (const Place& place : {Place{Found::missing, RefusalKind::missing, "disk d: /x does not exist"},
                             {Found::directory, RefusalKind::not_a_device, "/x is a folder, not a block device"},
                             {Found::regular_file, RefusalKind::not_a_device, "use `file: /x`"},
                             {Found::other, RefusalKind::not_a_device, "/x is not a block device"},
                             {Found::block_device, RefusalKind::unknown_device, "/x is device 8:99, which"}}) {
    CAPTURE(place.text);
    const DevicePath path{.found = place.found, .given = "/x", .resolved = {}, .named_by = {}, .number = {8, 99}};
    const auto refusals = device_refusals(path, {}, consent);
    REQUIRE(refusals.size() == 1);
    CHECK(refusals[0].kind == place.kind);
    CHECK_THROWS_WITH_AS(guard_device(path, {}, consent), doctest::Contains(place.text), Error);
  }
}

TEST_CASE("device guard: a missing right alone is no refusal for safety") {
  const auto kind_of = [](Case& example) {
    example.change = [](DeviceTable& table) {
      table.devices[0].signatures_fault = "Permission denied";
      table.devices[0].forbidden = true;
    };
    DeviceTable table = example.machine.table();
    example.change(table);
    try {
      guard_device(path_to(*table.find("sdb"), kById), table, example.consent);
    } catch (const Error& error) {
      CHECK(std::string(error.what()).find("which root has as a rule") != std::string::npos);
      return error.kind();
    }
    return ErrorKind::failed;
  };
  Case allowed, refused;
  CHECK(kind_of(allowed) == ErrorKind::unavailable);
  refused.consent.destroy = false;
  CHECK(kind_of(refused) == ErrorKind::refused);
}

TEST_CASE("device use: a few words for a table") {
  struct Use {
    const char* text;
    std::function<void(Case&)> make;
  };
  for (const Use& use :
       {Use{"free", [](Case&) {}},
        {"mounted at / (ext4)", [](Case& c) { c.machine.mounts(mount_of("8:16", "/")); }},
        {"swap", [](Case& c) { c.machine.file("proc/swaps", "Filename\n/dev/sdb partition 1 0 -2\n"); }},
        {"held by /dev/drbd5", [](Case& c) { c.machine.holds("drbd5", "sdb"); }},
        {"ext4 \"old\", LVM2_member",
         [](Case& c) {
           c.has("sdb", {.type = "ext4", .label = "old", .uuid = {}});
           c.has("sdb", {.type = "LVM2_member", .label = {}, .uuid = {}});
         }},
        {"content unknown: EIO",
         [](Case& c) { c.change = [](DeviceTable& t) { t.devices[0].signatures_fault = "EIO"; }; }}}) {
    Case example;
    use.make(example);
    DeviceTable table = example.machine.table();
    example.change(table);
    CHECK(use_text(*table.find("sdb"), table) == use.text);
  }
}

}  // namespace
}  // namespace diskproof
