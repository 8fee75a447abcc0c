// Which network file system it is, from a mount table's words or a number of statfs.
#include <doctest/doctest.h>

#include "target/network_client.hpp"

namespace diskproof {
namespace {

FilesystemFacts mounted(const std::string& type, const std::string& source, const std::string& options = "rw",
                        std::uint64_t magic = 0) {
  FilesystemFacts facts;
  facts.type = type;
  facts.source = source;
  facts.options = options;
  facts.magic = magic;
  return facts;
}

TEST_CASE("network mount: every kind is known by its mount table, with server, version and sizes") {
  struct Row {
    FilesystemFacts facts;
    const char *kind, *server, *version;
    std::uint64_t read_size = 0, write_size = 0;
    bool user_space = false;
  };
  const Row rows[] = {
      {mounted("nfs4", "nas:/vol/x", "rw,vers=4.2,rsize=1048576,wsize=524288,hard,proto=tcp,addr=10.0.0.9"), "nfs",
       "nas", "4.2", 1048576, 524288},
      {mounted("nfs", "[fd00::1]:/vol", "rw,vers=3,rsize=65536,wsize=65536,nolock"), "nfs", "[fd00::1]", "3", 65536,
       65536},
      {mounted("cifs", "//nas/share/sub", "rw,vers=3.1.1,cache=strict,rsize=4194304,wsize=4194304"), "cifs", "nas",
       "3.1.1", 4194304, 4194304},
      {mounted("smb3", "//10.0.0.9/share", "rw,vers=3.0"), "cifs", "10.0.0.9", "3.0"},
      {mounted("ceph", "10.0.0.1:6789,10.0.0.2:6789:/data", "rw,name=admin,acl"), "ceph", "10.0.0.1:6789,10.0.0.2:6789",
       ""},
      {mounted("ceph", "admin@fsid.fs=/", "rw,mon_addr=10.0.0.1:3300,rsize=65536"), "ceph", "10.0.0.1:3300", "", 65536},
      {mounted("fuse.ceph-fuse", "ceph-fuse", "rw"), "ceph", "", "", 0, 0, true},
      {mounted("lustre", "10.0.0.1@tcp:/scratch", "rw,flock"), "lustre", "10.0.0.1@tcp", ""},
      {mounted("fuse.glusterfs", "gluster1:/vol0", "rw,max_read=131072"), "glusterfs", "gluster1", "", 131072, 0, true},
      {mounted("9p", "hostshare", "rw,msize=131072,version=9p2000.L,trans=virtio"), "9p", "", "9p2000.L", 131072,
       131072},
      {mounted("afs", "#example.org:root.cell", "ro"), "afs", "example.org", ""},
      {mounted("gpfs", "gpfs0", "rw"), "gpfs", "", ""},
      {mounted("beegfs", "beegfs_nodev", "rw,cfgFile=/etc/beegfs/client.conf"), "beegfs", "", ""},
      {mounted("fuse.sshfs", "me@nas:/home/me", "rw,max_read=65536"), "sshfs", "nas", "", 65536, 0, true},
      {mounted("fuse.rclone", "remote:bucket", "rw"), "rclone", "remote", "", 0, 0, true},
      {mounted("fuse.s3fs", "s3fs", "rw"), "s3fs", "", "", 0, 0, true},
      {mounted("fuse.gcsfuse", "bucket", "rw"), "gcsfuse", "bucket", "", 0, 0, true}};
  for (const Row& row : rows) {
    CAPTURE(row.facts.type);
    const auto found = network_mount(row.facts);
    REQUIRE(found);
    CHECK(found->kind == row.kind);
    CHECK(found->server == row.server);
    CHECK(found->version == row.version);
    CHECK(found->read_size == row.read_size);
    CHECK(found->write_size == row.write_size);
    CHECK(found->user_space == row.user_space);
  }
}

TEST_CASE("network mount: a number of statfs serves where the table has no word for it") {
  struct Row {
    std::uint64_t magic;
    const char* kind;
  };
  for (const Row& row : {Row{0x6969, "nfs"}, Row{0xFF534D42, "cifs"}, Row{0xFE534D42, "cifs"}, Row{0x00C36400, "ceph"},
                         Row{0x0BD00BD0, "lustre"}, Row{0x01021997, "9p"}, Row{0x5346414F, "afs"},
                         Row{0x6B414653, "afs"}, Row{0x47504653, "gpfs"}, Row{0x19830326, "beegfs"}}) {
    CAPTURE(row.magic);
    const auto found = network_mount(mounted("", "", "", row.magic));
    REQUIRE(found);
    CHECK(found->kind == row.kind);
  }
}

TEST_CASE("network mount: local file systems are none") {
  for (const char* type : {"ext4", "xfs", "tmpfs", "overlay", "fuse", "fuse.ntfs-3g", "fuseblk", ""}) {
    CAPTURE(type);
    CHECK_FALSE(network_mount(mounted(type, "/dev/sda1", "rw,rsize=5")));
  }
  CHECK_FALSE(network_mount(mounted("", "", "", 0xEF53)));
}

TEST_CASE("network mount: sizes that are no number are unknown") {
  const auto found = network_mount(mounted("nfs", "", "rsize=,wsize=12x,vers"));
  REQUIRE(found);
  CHECK(found->server.empty());
  CHECK(found->read_size == 0);
  CHECK(found->write_size == 0);
}

TEST_CASE("network mount: shares of Windows by their paths, and what looks like one") {
  struct Row {
    const char *path, *share;
  };
  for (const Row& row : {Row{R"(\\nas\bench)", R"(\\nas\bench)"},
                         {R"(\\nas\bench\a b\t.dat)", R"(\\nas\bench)"},
                         {R"(//nas/bench/t.dat)", R"(\\nas\bench)"},
                         {R"(\\?\UNC\nas\bench\t.dat)", R"(\\nas\bench)"},
                         {R"(\\10.0.0.9\c$)", R"(\\10.0.0.9\c$)"},
                         {R"(\\.\PhysicalDrive1)", ""},
                         {R"(\\?\C:\t.dat)", ""},
                         {R"(\\?\Volume{00000000-0000-0000-0000-0000000000e1}\t)", ""},
                         {R"(\\nas)", ""},
                         {R"(\\nas\)", ""},
                         {R"(\\\share)", ""},
                         {R"(C:\t.dat)", ""},
                         {"/nas/bench", ""},
                         {"", ""}}) {
    CAPTURE(row.path);
    CHECK(share_of_path(row.path) == row.share);
  }
  CHECK(network_mount(mounted("cifs", R"(\\nas\bench)"))->server == "nas");
}

}  // namespace
}  // namespace diskproof
