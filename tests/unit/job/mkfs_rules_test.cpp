// Each way in which an argument of mkfs leads to another device, or to no file system, has its own reason.
#include "job/mkfs_rules.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "unit/job/job_text.hpp"

using namespace diskproof;

namespace {

using Arguments = std::vector<std::string>;

std::string faults(const std::string& type, const Arguments& arguments) {
  std::string text;
  for (const MkfsFault& fault : mkfs_faults(type, arguments)) text += fmt::format("{}: {}; ", fault.index, fault.text);
  return text;
}

}  // namespace

TEST_CASE("mkfs: what makes a file system on this disk may be said in each way that getopt takes") {
  struct Row {
    const char* type;
    Arguments arguments;
  };
  for (const Row& row : std::vector<Row>{
           {"ext4", {"-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0,discard"}},
           {"ext4", {"-qm0", "-O^has_journal,metadata_csum", "-J", "size=64", "-cc", "-T", "largefile"}},
           {"ext4", {"-L", "-n", "-M", "/mnt/data"}},
           {"xfs", {"-K", "-d", "agcount=8,su=64k,sw=2", "-lsize=64m,internal", "-n", "ftype=1", "-m", "crc=1"}},
           {"btrfs", {"-d", "single", "--metadata=dup", "--csum", "xxhash", "-Kq", "-n16k"}},
           {"f2fs", {"-q", "-O", "extra_attr,compression", "-o", "5", "-t0", "-i"}},
           {"ext4", {}},
       }) {
    CAPTURE(row.type);
    CHECK(faults(row.type, row.arguments) == "");
  }
}

TEST_CASE("mkfs: what leads elsewhere or makes nothing is refused with its reason") {
  struct Row {
    const char *name, *type;
    Arguments arguments;
    const char* says;
  };
  for (const Row& row : std::vector<Row>{
           {"a dry run", "ext4", {"-n"}, "0: '-n' only shows what mkfs would do"},
           {"a dry run among others", "ext4", {"-m", "0", "-qn"}, "2: '-n' only shows"},
           {"a journal device", "ext4", {"-O", "journal_dev"}, "1: '-O journal_dev' makes a journal"},
           {"a journal device among others", "ext4", {"-Oextents,journal_dev"}, "0: '-O journal_dev' makes a journal"},
           {"a journal elsewhere", "ext4", {"-J", "size=8,device=UUID=x"}, "1: '-J device' names another file"},
           {"the content of a folder", "ext4", {"-d", "x"}, "0: '-d' names another file or device"},
           {"a list of bad blocks", "ext4", {"-lx"}, "0: '-l' names another file or device"},
           {"an undo file", "ext4", {"-z", "x"}, "0: '-z' names another file or device"},
           {"another type", "ext4", {"-t", "ext2"}, "0: '-t' makes another file system"},
           {"a superblock only", "ext4", {"-S"}, "0: '-S' makes a superblock only"},
           {"an offset", "ext4", {"-E", "discard,offset=1M"}, "1: '-E offset' puts the file system where"},
           {"the version", "ext4", {"-V"}, "0: '-V' makes no file system"},
           {"another device", "ext4", {"/dev/sda"}, "0: '/dev/sda' names another file or device"},
           {"another device behind a dash", "ext4", {"-q", "-", "--"}, "1: '-' names another file"},
           {"a missing value", "ext4", {"-m"}, "0: '-m' lacks its value"},
           {"an unknown option", "ext4", {"-W"}, "0: '-W' is no option of mkfs.ext4 that a job may give"},
           {"data elsewhere", "xfs", {"-dname=x"}, "0: '-d name' names another file or device"},
           {"data in a file", "xfs", {"-d", "agcount=4,file"}, "1: '-d file' names another"},
           {"a log elsewhere", "xfs", {"-l", "logdev=/dev/sda,size=64m"}, "1: '-l logdev' names another"},
           {"a log that is not internal", "xfs", {"-l", "internal=0"}, "1: '-l internal=0' names another"},
           {"a realtime device", "xfs", {"-r", "rtdev=/dev/sda"}, "1: '-r rtdev' names another"},
           {"a dry run of xfs", "xfs", {"-KN"}, "0: '-N' only shows"},
           {"a prototype", "xfs", {"-p", "x"}, "0: '-p' names another"},
           {"a file of options", "xfs", {"-c", "options=x"}, "0: '-c' names another"},
           {"a word of an option that went", "xfs", {"-q", "name=x"}, "1: 'name=x' names another"},
           {"a second device", "btrfs", {"-d", "raid1", "sdb"}, "2: 'sdb' names another"},
           {"a root folder", "btrfs", {"--rootdir=x"}, "0: '--rootdir' names another"},
           {"an abbreviation", "btrfs", {"--root", "x"}, "0: '--root' is no option"},
           {"a list of features", "btrfs", {"-O", "list-all"}, "1: '-O list-all' makes no file system"},
           {"help", "btrfs", {"--help"}, "0: '--help' makes no file system"},
           {"more devices", "f2fs", {"-c", "/dev/sdb"}, "0: '-c' names another"},
           {"a sparse image", "f2fs", {"-S", "1"}, "0: '-S' makes a sparse image"},
       }) {
    CAPTURE(row.name);
    const std::string found = faults(row.type, row.arguments);
    CAPTURE(found);
    CHECK(found.find(row.says) == 0);
  }
}

TEST_CASE("mkfs: a job with such an argument is wrong at its place") {
  const LoadedJob loaded = load_job_text(
      "diskproof: 1\nname: t\ndisks:\n  d:\n    loop: {image: x, size: 1GiB}\n    filesystem:\n      type: xfs\n"
      "      mkfs_args:\n        - -K\n        - -dname=x\nphases: [{name: p, disk: d, engine: sync, size: 1MiB, "
      "duration: 1s}]\n",
      "t");
  const std::string found = test::joined(loaded.diagnostics);
  CAPTURE(found);
  CHECK(found.find("t:10:") != std::string::npos);
  CHECK(found.find("disks.d.filesystem.mkfs_args[1]: '-d name' names another file or device") != std::string::npos);
}
