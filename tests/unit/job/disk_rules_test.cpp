// The keys of disks that are attached, formatted or mounted: how they are read, and wrong combinations, each with a
// diagnostic of its own.
#include <doctest/doctest.h>

#include "unit/job/job_text.hpp"

using namespace diskproof;

namespace {

// A job whose only disk has `keys` in line 3.
LoadedJob load_disk(const std::string& keys, const std::string& phase = "size: 1MiB") {
  return load_job_text("diskproof: 1\nname: t\ndisks: {d: {" + keys +
                           "}}\nphases: [{name: p, disk: d, engine: sync, duration: 1s, " + phase + "}]\n",
                       "t");
}

}  // namespace

TEST_CASE("disks: a device with identity, file system, preparation and throttle is read") {
  const LoadedJob loaded = load_disk(
      "device: /dev/disk/by-id/x, destroy: true, identity: {serial: S1, size: 10GiB, rotational: false}, "
      "filesystem: {type: ext4, mkfs_args: [-m, \"0\"], mount_options: [discard, defaults], label: fast}, "
      "prepare: [discard, {scheduler: none}, {read_ahead: 0}, fstrim, {owner: \"root:disk\"}, {mode: \"0755\"}], "
      "throttle: {read.iops: 750, write.bandwidth: 100MB/s}");
  CHECK(test::joined(loaded.diagnostics) == "");
  const Disk& disk = loaded.job.disks.at(0);
  CHECK(disk.kind == DiskKind::device);
  CHECK(disk.path == "/dev/disk/by-id/x");
  CHECK(disk.destroy);
  REQUIRE(disk.identity);
  CHECK(disk.identity->serial == "S1");
  CHECK(disk.identity->size == std::uint64_t{10} << 30);
  CHECK(disk.identity->rotational == false);
  CHECK_FALSE(disk.identity->wwn);
  REQUIRE(disk.filesystem);
  CHECK(disk.filesystem->type == "ext4");
  CHECK(disk.filesystem->mkfs_args == std::vector<std::string>{"-m", "0"});
  CHECK(disk.filesystem->mount_options == std::vector<std::string>{"discard", "defaults"});
  CHECK(disk.filesystem->label == "fast");
  REQUIRE(disk.prepare.size() == 6);
  CHECK(disk.prepare[1].kind == PrepareKind::scheduler);
  CHECK(disk.prepare[1].value == "none");
  CHECK(disk.prepare[5].value == "0755");
  CHECK(disk.throttle.values.at("read.iops") == 750);
  CHECK(disk.throttle.values.at("write.bandwidth") == 100e6);
}

TEST_CASE("disks: loop and mount are read") {
  const Disk loop = load_disk("loop: {image: disk.img, size: 1GiB}", "size: 100%").job.disks.at(0);
  CHECK(loop.kind == DiskKind::loop);
  CHECK(loop.path == "disk.img");
  CHECK(loop.capacity == std::uint64_t{1} << 30);
  const Disk share =
      load_disk("mount: {source: \"nas:/fast\", type: nfs4, options: [hard]}, subdirectory: a/b").job.disks.at(0);
  CHECK(share.kind == DiskKind::mount);
  CHECK(share.share.source == "nas:/fast");
  CHECK(share.share.type == "nfs4");
  CHECK(share.share.options == std::vector<std::string>{"hard"});
  CHECK(share.subdirectory == "a/b");
}

TEST_CASE("disks: what is on a device already may be read without a layout") {
  CHECK(test::joined(load_disk("device: /dev/sdx", "size: 1MiB, layout: none").diagnostics) == "");
  CHECK(test::joined(load_disk("loop: {image: x, size: 1GiB}", "size: 1MiB, layout: none").diagnostics)
            .find("never written") != std::string::npos);
}

TEST_CASE("disks: each wrong combination has a diagnostic of its own") {
  struct Row {
    std::string keys, says;
  };
  const std::string loop = "loop: {image: x, size: 1GiB}, ";
  for (const Row& row : std::vector<Row>{
           {"file: a, device: b", "has both file and device"},
           {"loop: {image: x}", "disks.d.loop: the key 'size' is missing"},
           {"loop: {image: x, size: 0B}", "disks.d.loop.size: is zero"},
           {"file: x, identity: {serial: a}", "disks.d.identity: belongs to a device disk; remove it"},
           {loop + "destroy: true", "disks.d.destroy: belongs to a device disk; remove it"},
           {"file: x, filesystem: {type: ext4}", "disks.d.filesystem: belongs to a device or loop disk"},
           {"directory: x, throttle: {read.iops: 5}", "disks.d.throttle: belongs to a device or loop disk"},
           {"file: x, prepare: [discard]", "disks.d.prepare: belongs to a device or loop disk"},
           {loop + "subdirectory: a", "disks.d.subdirectory: belongs to a directory, mount or URL disk"},
           {"device: /dev/x, keep: true", "disks.d.keep: is about files"},
           {"device: /dev/x, overwrite: true", "a device's consent is `destroy: true`"},
           {loop + "filesystem: {type: ext4}, keep: true", "disks.d.keep: would keep files"},
           {loop + "filesystem: {type: ext4, mkfs_args: [-J, \"device=/dev/sda\"]}",
            "disks.d.filesystem.mkfs_args[1]: '-J device' names another file or device"},
           {loop + "filesystem: {type: xfs, mkfs_args: [/dev/sda]}", "names another file or device"},
           {loop + "filesystem: {type: ntfs, mkfs_args: [/X]}",
            "'/X' is none of the words that may be given to format"},
           {loop + "filesystem: {type: ntfs, mkfs_args: [\"/A:64K E:\"]}", "none of the words"},
           {loop + "filesystem: {type: refs, mkfs_args: [\"/A:64K\", \"D:\\\\\"]}", "mkfs_args[1]"},
           {loop + "filesystem: {type: ntfs, label: \"a:b\"}", "holds a character that Windows takes in no label"},
           {loop + "filesystem: {type: refs, mount_options: [x]}", "have no meaning on Windows"},
           {loop + "filesystem: {type: ext4, mount_options: [\"ro,bind\"]}", "'bind' would mount something else"},
           {loop + "filesystem: {type: ext4, mount_options: [\"offset=4096\"]}", "'offset=4096' would mount something"},
           {loop + "filesystem: {type: ext4, mount_options: [\"journal_path=/dev/sda\"]}",
            "would mount something else"},
           {loop + "filesystem: {type: btrfs, mount_options: [\"device=/dev/sda\"]}", "would mount something else"},
           {loop + "filesystem: {type: ext4, mount_options: [\"-o\"]}", "'-o' is not a mount option"},
           {"mount: {source: \"//nas/a\", type: cifs, options: [\"user=a,password=b\"]}", "holds a password"},
           {"mount: {source: /dev/sdx, type: ext4}", "disks.d.mount.type: 'ext4' is not the type of a share"},
           {"mount: {source: pool/set, type: zfs}", "a disk or an image is mounted by `device` or `loop`"},
           {"mount: {source: \"-x\", type: nfs}", "'-x' would be read as an option"},
           {loop + "prepare: [fstrim]", "disks.d.prepare[0]: is about a file system, and the disk has none"},
           {loop + "filesystem: {type: ext4}, prepare: [{mode: \"9\"}]", "'9' is not a mode of octal digits"},
           {loop + "filesystem: {type: ext4}, prepare: [{owner: \":disk\"}]", "':disk' names no user"},
           {loop + "prepare: [{scheduler: a, read_ahead: 4}]", "disks.d.prepare[0]: is not one step"},
           {loop + "prepare: [{scheduler: \"../x\"}]", "is not the name of a scheduler"},
           {loop + "throttle: {total.iops: 5}", "total.iops"},
           {loop + "throttle: {}", "is an empty map"},
       }) {
    CAPTURE(row.keys);
    const std::string found = test::joined(load_disk(row.keys).diagnostics);
    CAPTURE(found);
    CHECK(found.find(row.says) != std::string::npos);
  }
}

TEST_CASE("disks: more than a loop holds is said by the job alone") {
  const std::string loop = "loop: {image: x, size: 1GiB}";
  CHECK(test::joined(load_disk(loop, "size: 2GiB").diagnostics).find("2 GiB is more than the disk's 1 GiB") !=
        std::string::npos);
  CHECK(test::joined(load_disk(loop + ", filesystem: {type: ext4}", "size: 600MiB, threads: 2").diagnostics)
            .find("2 times 600 MiB is more than the disk's 1 GiB") != std::string::npos);
  CHECK(test::joined(load_disk(loop, "size: 50%").diagnostics) == "");
  CHECK(test::joined(load_disk("mount: {source: a, type: nfs}", "size: 50%").diagnostics).find("not mounted yet") !=
        std::string::npos);
}
