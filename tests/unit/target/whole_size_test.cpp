// What `size: 100%` comes to, and where it cannot be said.
#include "target/whole_size.hpp"

#include <doctest/doctest.h>
#include <string>

#include "support/error.hpp"
#include "unit/target/disk_samples.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kPage = 4096;

// Of 100 GiB, of which so much is available.
FilesystemView with_available(std::uint64_t bytes) {
  return [bytes](const std::string& path) {
    FilesystemFacts facts = roomy_filesystem(path);
    facts.size = 100 * kGiB;
    facts.available = bytes;
    return facts;
  };
}

std::string fault_of(const DiskPlan& disk, const FilesystemView& filesystem) {
  try {
    whole_size(disk, filesystem);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("whole size: of a file it is what the file has, where it may be written") {
  const TempFolder folder;
  DiskPlan disk = file_disk(folder.write("x", std::string(3 * kPage + 5, 'x')));
  CHECK(fault_of(disk, roomy_filesystem).find("was not made by diskproof") != std::string::npos);
  disk.overwrite = true;
  CHECK(whole_size(disk, roomy_filesystem) == 3 * kPage);
  disk = file_disk(folder.path("missing"));
  CHECK(fault_of(disk, roomy_filesystem).find("which does not exist; write a size such as 1GiB") != std::string::npos);
  disk = file_disk(folder.write("small", "x"));
  disk.overwrite = true;
  CHECK(fault_of(disk, roomy_filesystem).find("holds less than a page") != std::string::npos);
}

TEST_CASE("whole size: the files of a directory share the free space, but for the reserve") {
  const TempFolder folder;
  DiskPlan disk = directory_disk(folder.path(), folder.path("work"), 4);
  // 90 GiB available, 10 GiB stay free, and one part in 256.
  const std::uint64_t size = whole_size(disk, with_available(90 * kGiB));
  CHECK(size == (90 * kGiB - 10 * kGiB - 90 * kGiB / 256) / 4 / kPage * kPage);
  disk.fill = true;
  CHECK(whole_size(disk, with_available(90 * kGiB)) == (90 * kGiB - 90 * kGiB / 256) / 4 / kPage * kPage);
}

TEST_CASE("whole size: what it says passes the guard of free space") {
  const TempFolder folder;
  for (const bool fill : {false, true}) {
    for (const std::uint64_t available : {11 * kGiB, 90 * kGiB, 12'345'678'901u * std::uint64_t{2}}) {
      CAPTURE(fill);
      CAPTURE(available);
      DiskPlan disk = directory_disk(folder.path(), folder.path("work"), 3);
      disk.fill = fill;
      disk.file_size = whole_size(disk, with_available(available));
      CHECK_NOTHROW(guard_space(disks_on_files(plan_with(disk)), with_available(available)));
    }
  }
}

TEST_CASE("whole size: too little free space is said with both numbers") {
  const TempFolder folder;
  const DiskPlan disk = directory_disk(folder.path(), folder.path("work"));
  const std::string fault = fault_of(disk, with_available(5 * kGiB));
  CHECK(fault.find("only 5 GiB are available") != std::string::npos);
  CHECK(fault.find("a reserve of 10 GiB stays free") != std::string::npos);
  CHECK(fault_of(directory_disk(folder.path("none"), folder.path("none/work")), roomy_filesystem)
            .find("create it first") != std::string::npos);
}

}  // namespace diskproof
