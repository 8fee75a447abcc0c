// What a load does besides reading and writing, by the real program on real files: flushes, trims, durable writes,
// files that threads share, sizes that are shares of what is there.
#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

std::string job_on(const std::string& disk, const std::string& phase_keys, const std::string& engine = "sync") {
  return "diskproof: 1\nname: loads\ndisks: {d: {" + disk +
         ", fill: true}}\n"
         "phases: [{name: load, disk: d, engine: " +
         engine + ", direct: false, sample: 10ms, findings: {on_tmpfs: ignore}, " + phase_keys + "}]\n";
}

const std::string kKept = "file: target.dat, keep: true";

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("flushes have metrics of their own, which no total holds") {
  const Bench bench;
  const Finished run = bench.run(job_on(
      "file: target.dat",
      "size: 1MiB, operations: write, operations_count: 64, sync: dsync, fsync: {every: 8, end: true}, thresholds: "
      "[write.operations == 64, total.operations == 64, sync.operations == 9, sync.errors == 0, sync.latency.max <= "
      "1min]"));
  INFO(run.out, run.err);
  CHECK(run.code == 0);
  CHECK(run.out.find(" sync ") != std::string::npos);
}

TEST_CASE("a timed load that is flushed at its end has the flush in its window, and nothing to drain") {
  const Bench bench;
  const Finished run =
      bench.run(job_on("file: target.dat",
                       "size: 1MiB, operations: write, duration: 100ms, threads: 2, fsync: {end: true}, "
                       "thresholds: [sync.operations == 2, drain.operations == 0]"));
  INFO(run.out, run.err);
  CHECK(run.code == 0);
  CHECK(Result(bench).phase("load").at("measured").at("window_end").get<std::uint64_t>() >= 100'000'000);
}

TEST_CASE("trims make holes, and a kept file is laid out anew after them") {
  const Bench bench;
  const std::string job = job_on(
      kKept, "size: 1MiB, operations: trim, bytes: 1MiB, thresholds: [trim.bytes == 1MiB, trim.operations == 256]");
  for (int run = 0; run < 2; ++run) {
    const Finished finished = bench.run(job);
    INFO(finished.out, finished.err);
    REQUIRE(finished.code == 0);
    CHECK(content_of(bench.file("target.dat")) == std::string(1 << 20, '\0'));
    CHECK(Result(bench).metric("layout/d", "write.bytes") == 1 << 20);
  }
}

TEST_CASE("an engine that cannot do what is asked is refused before anything is made") {
  const Bench bench;
  const Finished run = bench.run(job_on("file: target.dat", "size: 1MiB, operations: trim, duration: 1s", "libaio"));
  INFO(run.out, run.err);
  CHECK(run.code == 3);
  CHECK(run.err.find("phases[0].engine: engine libaio cannot trim") != std::string::npos);
  CHECK(joined(bench.leftovers()).find("target.dat") == std::string::npos);
}

TEST_CASE("threads share the files of a directory in turns, each its stripe") {
  const Bench bench;
  const Finished run =
      bench.run(job_on("directory: ., keep: true",
                       "size: 1MiB, layout: allocated, threads: 5, files: {count: 2}, operations: write, "
                       "duration: 200ms, block_size: 4KiB"));
  INFO(run.out, run.err);
  REQUIRE(run.code == 0);
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(bench.path("work"))) {
    if (entry.is_regular_file() && entry.file_size() == 1 << 20) ++files;
  }
  CHECK(files == 2);
}

TEST_CASE("a share of a file is of what the file has") {
  const Bench bench;
  REQUIRE(bench.run(job_on(kKept, "size: 2MiB, operations_count: 8")).code == 0);
  const Finished half = bench.run(job_on(kKept, "size: 50%, access: random, operations_count: 256"));
  INFO(half.out, half.err);
  REQUIRE(half.code == 0);
  const Result result(bench);
  CHECK(result.reason("layout/d").find("earlier run") != std::string::npos);
  const Bench empty;
  const Finished missing = empty.run(job_on("file: none.dat", "size: 100%, operations_count: 8"));
  CHECK(missing.code == 2);
  const std::string reason = Result(empty).json().at("reason");
  CHECK(reason.find("which does not exist; write a size such as 1GiB") != std::string::npos);
}

TEST_CASE("written data is as compressible as the job says") {
  const Bench bench;
  REQUIRE(bench.run(job_on(kKept, "size: 1MiB, operations: write, bytes: 1MiB, data: {compressible: 75%}")).code == 0);
  const std::string content = content_of(bench.file("target.dat"));
  const auto zeros = static_cast<double>(std::count(content.begin(), content.end(), '\0'));
  CHECK(zeros / static_cast<double>(content.size()) == doctest::Approx(0.75).epsilon(0.03));
}

}  // namespace diskproof::testing
