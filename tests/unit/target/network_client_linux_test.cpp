// Counters of the kernel's NFS and SMB clients, from fixtures, and passwords that the mount table would show.
#include <doctest/doctest.h>

#include "target/mount_table_linux.hpp"
#include "target/network_client.hpp"

namespace diskproof {
namespace {

constexpr const char* kMountstats =
    "device /dev/sda1 mounted on / with fstype ext4\n"
    "device nas:/vol mounted on /mnt/other with fstype nfs statvers=1.1\n"
    "\tbytes:\t9 9 9 9 9 9 9 9\n"
    "\tper-op statistics\n"
    "\t        READ: 9 9 9 9 9 9 9 9 9\n"
    "\n"
    "device nas:/vol/a mounted on /mnt/my\\040nas with fstype nfs4 statvers=1.1\n"
    "\topts:\trw,vers=4.2,rsize=1048576,wsize=1048576,hard,proto=tcp\n"
    "\tage:\t341\n"
    "\tbytes:\t0 0 4194304 8388608 4194304 8388608 0 0\n"
    "\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)\n"
    "\txprt:\ttcp 880 1 1 0 0 12 12 0 12 0 2 0 0\n"
    "\tper-op statistics\n"
    "\t        NULL: 1 1 0 44 24 0 1 1 0\n"
    "\t        READ: 1000 1002 1 180000 4366304 5 2000 2100 0\n"
    "\t       WRITE: 2000 2000 0 8700000 280000 5 8000 8100 0\n"
    "\t      COMMIT: 4 4 0 700 400 0 3 3 0\n"
    "device proc mounted on /proc with fstype proc\n"
    "\t        READ: 9 9 9 9 9 9 9 9 9\n";

constexpr const char* kCifsStats =
    "Resources in use\n"
    "CIFS Session: 1\n"
    "Share (unique mount targets): 3\n"
    "SMB Request/Response Buffer: 1 Pool size: 5\n"
    "\n"
    "Total vfs operations: 16 maximum at one time: 2\n"
    "\n"
    "Max requests in flight: 3\n"
    "1) \\\\nas\\share\n"
    "SMBs: 130 since 2026-01-01 00:00:00 UTC\n"
    "Bytes read: 4096000  Bytes written: 8192\n"
    "Open files: 1 total (local), 1 open on server\n"
    "Reads: 100 total 0 failed\n"
    "2) \\\\nas\\share2\n"
    "SMBs: 7\n"
    "Bytes read: 1  Bytes written: 2\n";

TEST_CASE("nfs counters: of the mount at that place, with retransmits, timeouts and round trips") {
  const auto found = nfs_counters(kMountstats, "/mnt/my nas");
  REQUIRE(found);
  CHECK(found->read_bytes == 4194304);
  CHECK(found->write_bytes == 8388608);
  CHECK(found->calls == 3005);
  REQUIRE(found->rpc);
  CHECK(found->rpc->retransmits == 2);
  CHECK(found->rpc->timeouts == 1);
  CHECK(found->rpc->read.calls == 1000);
  CHECK(found->rpc->read.ns == 2'000'000'000);
  CHECK(found->rpc->write.ns == 8'000'000'000);
  CHECK(found->rpc->all.calls == 3005);
  CHECK(found->rpc->all.ns == 10'004'000'000);
}

TEST_CASE("nfs counters: none for what is not there, local or cut off") {
  for (const char* place : {"/", "/mnt/nowhere", "/proc"}) {
    CAPTURE(place);
    CHECK_FALSE(nfs_counters(kMountstats, place));
  }
  const auto cut = nfs_counters("device a:/b mounted on /c with fstype nfs4 statvers=1.1\n\tbytes:\t1 2\n", "/c");
  REQUIRE(cut);
  CHECK(cut->read_bytes == 0);
  CHECK_FALSE(nfs_counters("", "/c"));
}

TEST_CASE("cifs counters: of the share, also for a folder in it, and not of one whose name begins alike") {
  for (const char* source : {"//nas/share", "//nas/share/team/x"}) {
    CAPTURE(source);
    const auto found = cifs_counters(kCifsStats, source);
    REQUIRE(found);
    CHECK(found->read_bytes == 4096000);
    CHECK(found->write_bytes == 8192);
    CHECK(found->calls == 130);
    CHECK_FALSE(found->rpc);
  }
  CHECK(cifs_counters(kCifsStats, "//nas/share2")->calls == 7);
  CHECK_FALSE(cifs_counters(kCifsStats, "//nas/shar"));
  CHECK_FALSE(cifs_counters("", "//nas/share"));
}

TEST_CASE("mount table: passwords in options and sources do not leave it") {
  const std::string table =
      "32 22 0:41 / /mnt rw - cifs //nas/share rw,vers=3.1.1,username=me,password=hunter2\n"
      "33 22 0:42 / /ceph rw,secret=hunter2 - ceph mon:/ rw,secret=hunter2,acl\n"
      "34 22 0:43 / /dav rw - fuse https://me:hunter2@dav/ rw\n";
  for (const char* place : {"/mnt", "/ceph", "/dav"}) {
    CAPTURE(place);
    const FilesystemFacts facts = find_mount(table, place);
    CHECK((facts.options + facts.source).find("hunter2") == std::string::npos);
    CHECK((facts.options + facts.source).find("***") != std::string::npos);
  }
}

}  // namespace
}  // namespace diskproof
