// What the runner measures on disks that its own throttle holds to limits, and on a bed that paces evenly: the kernel
// and the bed know the truth. Disks are made by the product: images attached, formatted and mounted.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "beds/slow_disk.hpp"
#include "integration/ram_mount.hpp"
#include "integration/reports.hpp"
#include "support/error.hpp"
#include "target/throttle.hpp"

namespace diskproof::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kMinutes{300};

bool is_long() { return std::getenv("DISKPROOF_LONG") != nullptr; }

struct DiskLimit {
  std::string disk;
  double read, write;
};
const std::vector<DiskLimit> kLimits{{"standard", 750, 1500}, {"balanced", 6000, 6000}, {"ssd", 30000, 30000}};

bool skipped() {
  const char* why = nullptr;
  if (::geteuid() != 0) why = "only root attaches, mounts and throttles";
  if (!fs::exists("/dev/loop-control")) why = "there are no loop devices";
  if (why != nullptr) MESSAGE("skipped: ", why);
  return why != nullptr;
}

bool throttles() {
  try {
    return !throttle_group_path("run", "disk").empty();
  } catch (const Error& error) {
    MESSAGE("skipped: ", error.what());
    return false;
  }
}

constexpr unsigned kLoopMajor = 7;

// The images that are attached, by the minor number of their loop devices.
std::map<unsigned, std::string> attached_images() {
  std::map<unsigned, std::string> images;
  for (const auto& entry : fs::directory_iterator("/sys/block")) {
    std::string image;
    std::ifstream file(entry.path() / "loop/backing_file");
    const std::string name = entry.path().filename().string();
    if (std::getline(file, image)) images[static_cast<unsigned>(std::stoul(name.substr(4)))] = image;
  }
  return images;
}

unsigned loop_minor(const std::string& file_name) {
  for (const auto& [minor, image] : attached_images()) {
    if (fs::path(image).filename() == file_name) return minor;
  }
  return ~0u;
}

// Of the run: what is still mounted, attached or in a group.
std::vector<std::string> still_there(const Bench& bench, const std::string& run_id) {
  std::vector<std::string> left = bench.leftovers();
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    if (line.find(bench.path("state")) != std::string::npos) left.push_back("mounted: " + line);
  }
  std::error_code ignored;
  for (const auto& [minor, image] : attached_images()) {
    if (image.find("rehearsal-") != std::string::npos) left.push_back("attached: " + image);
  }
  for (const auto& entry : fs::recursive_directory_iterator("/sys/fs/cgroup", ignored)) {
    if (entry.path().filename().string().starts_with("diskproof-" + run_id)) left.push_back(entry.path().string());
  }
  return left;
}

bool has_finding(const Json& phase, const std::string& name) {
  for (const Json& finding : phase.at("findings")) {
    if (finding.at("name") == name) return true;
  }
  return false;
}

std::string run_id(const Result& result) { return result.json().at("plan").at("run_id"); }

void check_rate(const Result& result, const std::string& direction, const DiskLimit& limit, double within) {
  const std::string phase = direction + " " + limit.disk;
  CAPTURE(phase);
  CHECK(result.metric(phase, direction + ".iops") ==
        doctest::Approx(direction == "read" ? limit.read : limit.write).epsilon(within));
  CHECK(result.outcome(phase) == "pass");
  CHECK(has_finding(result.phase(phase), "throttled_by_us"));
}

// How late this machine wakes a thread up while something runs: an even pace that is kept by sleeping threads cannot be
// more even than that.
class Wakeups {
 public:
  Wakeups() : thread_([this] { watch(); }) {}
  ~Wakeups() { stop(); }
  Wakeups(const Wakeups&) = delete;
  Wakeups& operator=(const Wakeups&) = delete;

  // Ends the watch. Milliseconds that one wake-up in a hundred is later than.
  double p99() {
    stop();
    std::sort(late_.begin(), late_.end());
    return late_.empty() ? 0 : late_[late_.size() * 99 / 100];
  }

 private:
  void watch() {
    while (!stopped_) {
      const auto due = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
      std::this_thread::sleep_until(due);
      late_.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - due).count());
    }
  }
  void stop() {
    stopped_ = true;
    if (thread_.joinable()) thread_.join();
  }

  std::atomic<bool> stopped_{false};
  std::vector<double> late_;
  std::thread thread_;
};

constexpr double kQuiet = 0.2;  // ms

// By Little's law each of 64 I/Os waits for its turn. What a busy machine cannot pace is not judged on it.
void check_paced(const Result& result, const std::string& direction, double iops, bool quiet) {
  CAPTURE(direction);
  CAPTURE(iops);
  const bool fast = iops > 6000;
  if (!quiet && fast) return;
  const double in_flight_ns = 64 / iops * 1e9;
  CHECK(result.metric(direction, direction + ".iops") == doctest::Approx(iops).epsilon(quiet ? 0.01 : 0.05));
  if (!quiet) return;
  CHECK(result.metric(direction, direction + ".latency.p50") == doctest::Approx(in_flight_ns).epsilon(0.05));
  CHECK(result.metric(direction, direction + ".latency.p99") ==
        doctest::Approx(in_flight_ns).epsilon(fast ? 0.10 : 0.05));
}

}  // namespace

TEST_CASE("rehearsal: the limits of the field are measured within 2 percent on throttled images, twice in a row") {
  if (skipped() || !throttles()) return;
  const Bench bench;
  const RamMount memory("tmpfs", bench.path("memory"));
  REQUIRE(memory.fault() == "");
  for (const std::string turn : {"first", "second"}) {
    CAPTURE(turn);
    const Finished run =
        bench.diskproof({"run", DISKPROOF_SOURCE_DIR "/jobs/rehearsal.yaml", "--out", bench.path("out"), "--set",
                         "images=" + bench.path("memory"), "--set", is_long() ? "duration=30s" : "duration=10s"},
                        kMinutes);
    INFO(run.out, run.err);
    REQUIRE(run.code == 0);
    const Result result(bench);
    for (const DiskLimit& limit : kLimits) {
      for (const std::string direction : {"write", "read"})
        check_rate(result, direction, limit, is_long() ? 0.01 : 0.02);
    }
    CHECK(fs::is_empty(bench.path("memory")));
    CHECK(joined(still_there(bench, run_id(result))) == "memory");
  }
}

TEST_CASE("rehearsal: a threshold 5 percent below the throttle passes, one 5 percent above fails, in both directions") {
  if (skipped() || !throttles()) return;
  const Bench bench;
  const RamMount memory("tmpfs", bench.path("memory"));
  REQUIRE(memory.fault() == "");
  std::string disks, phases;
  for (const DiskLimit& limit : {kLimits[0], kLimits[1]}) {
    disks += fmt::format(
        "  {0}: {{loop: {{image: {3}/rehearsal-{0}.img, size: 64MiB}}, throttle: {{read.iops: {1}, write.iops: {2}}}, "
        "limits: {{read.iops: {1}, write.iops: {2}}}, filesystem: {{type: ext4}}}}\n",
        limit.disk, limit.read, limit.write, bench.path("memory"));
    for (const char* direction : {"read", "write"}) {
      phases += fmt::format(
          "      - {{name: {0} {1}, disk: {1}, operations: {0}, thresholds: "
          "[{0}.iops >= 95% of limit, {0}.iops >= 105% of limit]}}\n",
          direction, limit.disk);
    }
  }
  const Finished run = bench.run(
      "diskproof: 1\nname: margins\ndisks:\n" + disks +
          "defaults: {engine: libaio, access: random, queue_depth: 64, size: 16MiB, warmup: 1s, duration: 3s}\n"
          "phases:\n  - name: all\n    parallel:\n" +
          phases,
      {}, kMinutes);
  INFO(run.out, run.err);
  CHECK(run.code == 1);
  const Result result(bench);
  for (const DiskLimit& limit : {kLimits[0], kLimits[1]}) {
    for (const std::string direction : {"read", "write"}) {
      const std::string name = direction + " " + limit.disk;
      CAPTURE(name);
      const Json& thresholds = result.phase(name).at("thresholds");
      CHECK(thresholds.at(0).at("outcome") == "pass");
      CHECK(thresholds.at(1).at("outcome") == "fail");
    }
  }
  CHECK(joined(still_there(bench, run_id(result))) == "memory");
}

TEST_CASE("rehearsal: the kernel counted as many operations in the throttle's group as the result says") {
  if (skipped() || !throttles()) return;
  const Bench bench;
  const RamMount memory("tmpfs", bench.path("memory"));
  REQUIRE(memory.fault() == "");
  const auto program =
      bench.start("diskproof: 1\nname: counted\ndisks: {d: {loop: {image: " + bench.path("memory/rehearsal-c.img") +
                  ", size: 64MiB}, throttle: {read.iops: 4000, write.iops: 2000}, filesystem: {type: ext4}}}\n"
                  "defaults: {disk: d, engine: libaio, access: random, queue_depth: 16, size: 8MiB, warmup: 0s}\n"
                  "phases:\n  - {name: reads, operations: read, operations_count: 3000}\n"
                  "  - {name: writes, operations: write, operations_count: 1500}\n"
                  "  - {name: later, pause: 3s, operations: read, operations_count: 1}\n");
  REQUIRE(bench.wait_for(*program, R"("event":"phase_finished","phase":"writes")"));
  std::ifstream events(program->launch().out);
  std::string first;
  std::getline(events, first);
  const std::string group = throttle_group_path(Json::parse(first).at("run_id"), "d");
  const ThrottleCounts counts = throttle_counts(group, kLoopMajor, loop_minor("rehearsal-c.img"));
  CHECK(counts.reads == 3000);
  CHECK(counts.writes == 1500);
  CHECK(bench.finish(*program).code == 0);
  const Result result(bench);
  CHECK(result.metric("reads", "read.operations") == 3000);
  CHECK(result.metric("writes", "write.operations") == 1500);
  CHECK(joined(still_there(bench, run_id(result))) == "memory");
}

TEST_CASE("rehearsal: an even pace below an image with ext4 is measured within 1 percent, its latency within 5") {
  if (skipped()) return;
  SlowDisk slow;
  if (!slow.fault().empty()) {
    MESSAGE("skipped: no slow disk, ", slow.fault());
    return;
  }
  for (const DiskLimit& limit : kLimits) {
    CAPTURE(limit.disk);
    slow.set("read_iops", static_cast<std::int64_t>(limit.read));
    slow.set("write_iops", static_cast<std::int64_t>(limit.write));
    const Bench bench;
    Wakeups wakeups;
    const Finished run = bench.run(
        "diskproof: 1\nname: paced\ndisks: {d: {loop: {image: " + slow.path("rehearsal-p.img") +
            ", size: 128MiB}, filesystem: {type: ext4, mkfs_args: [-E, \"lazy_itable_init=0,lazy_journal_init=0\"]}}}\n"
            "defaults: {disk: d, engine: libaio, access: random, queue_depth: 64, size: 16MiB, warmup: 500ms, "
            "duration: " +
            (is_long() ? "10s" : "3s") +
            "}\nphases: [{name: write, operations: write}, {name: read, operations: read}]\n",
        {}, kMinutes);
    INFO(run.out, run.err);
    REQUIRE(run.code == 0);
    const double late = wakeups.p99();
    if (late > kQuiet) {
      MESSAGE("not judged in full at ", limit.disk, ": the machine is busy, wake-ups are ", late, " ms late (p99)");
    }
    const Result result(bench);
    check_paced(result, "write", limit.write, late <= kQuiet);
    check_paced(result, "read", limit.read, late <= kQuiet);
    CHECK(joined(still_there(bench, run_id(result))) == "");
  }
}

}  // namespace diskproof::testing
