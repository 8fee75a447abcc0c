// Limits that a table or a formula gives.
#include "job/limit_table.hpp"

#include <doctest/doctest.h>
#include <filesystem>

#include "support/temp_folder.hpp"
#include "unit/job/job_text.hpp"

namespace diskproof::test {
namespace {

constexpr const char* kTable =
    "# what was bought\n"
    "instance\tdisk_type\tsize_gb\tread.iops\twrite.iops\ttotal.bandwidth\tinstance.total.iops\n"
    "\n"
    "small\tssd\t100\t3000\t3000\t\t4000\n"
    "small\tssd\t1000\t30000\t30000\t480MB/s\t4000\r\n"
    "large\tssd\t1000\t30000\t30000\t480MB/s\t\n"
    "large\tbroken\t1\t-5\t12\t\t\n";

std::string job_with_limits(const std::string& limits, const std::string& disk = "virtual: {size: 1000GB}") {
  return "diskproof: 1\nname: t\ndisks: {d: {" + disk + ", limits: " + limits +
         "}}\nphases: [{name: p, disk: d, engine: sim, size: 1MiB, duration: 1s}]\n";
}

LoadedJob load(const TempFolder& folder, const std::string& text) {
  folder.write("gcp.tsv", kTable);
  return load_job_text(text, folder.path("job.yaml"));
}

using Values = std::map<std::string, double>;

}  // namespace

TEST_CASE("limit table: the row's cells are the limits, and what the job writes beside it wins") {
  const TempFolder folder;
  const LoadedJob loaded =
      load(folder,
           job_with_limits("{table: gcp.tsv, row: {instance: small, disk_type: ssd, size_gb: 1000}, write.iops: 77}"));
  REQUIRE(joined(loaded.diagnostics) == "");
  const auto& groups = loaded.job.disks.at(0).limits;
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].name == "");
  CHECK(groups[0].values == Values{{"read.iops", 30000}, {"write.iops", 77}, {"total.bandwidth", 480e6}});
  CHECK(groups[1].name == "instance");
  CHECK(groups[1].values == Values{{"total.iops", 4000}});
  CHECK(loaded.job.phases.at(0).limits.size() == 2);  // merged over the disk's
}

TEST_CASE("limit table: an empty cell is no limit") {
  const TempFolder folder;
  const LoadedJob loaded = load(folder, job_with_limits("{table: gcp.tsv, row: {instance: large, size_gb: 1000}}"));
  REQUIRE(joined(loaded.diagnostics) == "");
  CHECK(loaded.job.disks.at(0).limits.size() == 1);
}

TEST_CASE("limit table: each fault has its own words, at its place") {
  struct Row {
    const char *limits, *message;
  };
  const Row rows[] = {
      {"{table: gcp.tsv}", "limits.table: has no row"},
      {"{row: {size_gb: 100}}", "limits.row: has no table"},
      {"{table: nothere.tsv, row: {size_gb: 100}}", "nothere.tsv: there is no such file"},
      {"{table: gcp.tsv, row: {size_gb: 1000}}", "2 rows of gcp.tsv match, it must be one; say more of"},
      {"{table: gcp.tsv, row: {size_gb: 7}}",
       "limits.row.size_gb: no row of gcp.tsv has '7' there; there is 1, 100, 1000"},
      {"{table: gcp.tsv, row: {disktype: ssd}}",
       "limits.row.disktype: gcp.tsv has no such column; did you mean disk_type?"},
      {"{table: gcp.tsv, row: {read.iops: 3000}}", "has no such column; its columns are instance, disk_type, size_gb"},
      {"{table: gcp.tsv, row: {disk_type: broken}}", "gcp.tsv, line 7: '-5' is no read.iops"},
      {"{table: empty.tsv, row: {a: 1}}", "empty.tsv: it has no row"},
      {"{table: ragged.tsv, row: {a: 1}}", "ragged.tsv: line 2: 3 cells, the header has 2"},
      {"{table: secret.tsv, row: {a: 1}}", "secret.tsv: line 1: is no header of a table: columns parted by tabs"},
      {"{table: keys.tsv, row: {a: 1}}", "keys.tsv: line 1: is no header of a table"},
      {"{table: one.tsv, row: {a: 1}}", "one.tsv: line 1: is no header of a table"},
      {"{table: folder, row: {a: 1}}", "folder: it is a folder, not a file"},
      {"{table: twice.tsv, row: {a: 1}}", "twice.tsv: line 1: column 'a' is empty or there twice"},
  };
  const TempFolder folder;
  folder.write("empty.tsv", "# nothing\na\tread.iops\n");
  folder.write("ragged.tsv", "a\tread.iops\n1\t2\t3\n");
  folder.write("twice.tsv", "a\ta\tread.iops\n1\t2\t3\n");
  folder.write("secret.tsv", "root:hunter2:0\n");
  folder.write("keys.tsv", "a\thunter2\n1\t2\n");
  folder.write("one.tsv", "read.iops\n1\n");
  std::filesystem::create_directory(folder.path("folder"));
  for (const Row& row : rows) {
    CAPTURE(std::string(row.limits));
    const std::string said = joined(load(folder, job_with_limits(row.limits)).diagnostics);
    CAPTURE(said);
    CHECK(said.find(row.message) != std::string::npos);
    CHECK(said.find("please report") == std::string::npos);
    CHECK(said.find("hunter2") == std::string::npos);
  }
}

TEST_CASE("limit formula: base and a part per GB of the disk, at most max") {
  struct Row {
    const char* limits;
    Values values;
  };
  const Row rows[] = {
      {"{read.iops: {base: 100, per_gb: 6}}", {{"read.iops", 6100}}},
      {"{read.iops: {per_gb: 30, max: 15000}}", {{"read.iops", 15000}}},
      {"{total.bandwidth: {base: 100MB/s, per_gb: 0.28MB/s}}", {{"total.bandwidth", 380e6}}},
      {"{read.iops: {base: 500}}", {{"read.iops", 500}}},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.limits));
    const LoadedJob loaded = load_job_text(job_with_limits(row.limits), "job.yaml");
    REQUIRE(joined(loaded.diagnostics) == "");
    CHECK(loaded.job.disks.at(0).limits.at(0).values == row.values);
    CHECK(loaded.job.phases.at(0).limits.at(0).values == row.values);
  }
}

TEST_CASE("limit formula: the size is that of a virtual disk, an image, or a device that must have it") {
  for (const char* disk : {"virtual: {size: 200GB}", "loop: {image: i, size: 200GB}",
                           "device: /dev/disk/by-id/x, identity: {serial: s, size: 200GB}"}) {
    CAPTURE(std::string(disk));
    const LoadedJob loaded =
        load_job_text(job_with_limits("{read.iops: {base: 100, per_gb: 6}, i: {total.iops: {per_gb: 2}}}", disk), "j");
    REQUIRE(joined(loaded.diagnostics) == "");
    CHECK(loaded.job.disks.at(0).limits.at(0).values == Values{{"read.iops", 1300}});
    CHECK(loaded.job.disks.at(0).limits.at(1).values == Values{{"total.iops", 400}});
  }
}

TEST_CASE("limit formula: faults") {
  struct Row {
    const char *limits, *disk, *message;
  };
  const Row rows[] = {
      {"{read.iops: {per_gb: 30}}", "file: f", "limits.read.iops: is a formula of the disk's size, which nothing says"},
      {"{read.iops: {per_gb: 30}}", "device: /dev/disk/by-id/x, identity: {min_size: 1GB}",
       "limits.read.iops: is a formula of the disk's size, which nothing says"},
      {"{read.iops: {base: 30MB/s}}", "virtual: {size: 1GB}", "limits.read.iops: base does not fit"},
      {"{read.bandwidth: {per_gb: 30}}", "virtual: {size: 1GB}", "limits.read.bandwidth: per_gb does not fit"},
      {"{read.iops: {per_gb: 0}}", "virtual: {size: 1GB}", "limits.read.iops: comes to nothing"},
      {"{read.iops: {}}", "virtual: {size: 1GB}", "limits.read.iops"},
      {"{i: {total.iops: {bas: 3}}}", "virtual: {size: 1GB}", "did you mean base?"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.limits));
    const std::string said = joined(load_job_text(job_with_limits(row.limits, row.disk), "job.yaml").diagnostics);
    CAPTURE(said);
    CHECK(said.find(row.message) != std::string::npos);
    CHECK(said.find("please report") == std::string::npos);
  }
}

}  // namespace diskproof::test
