// A run that is killed at any moment between its first step and its last leaves nothing that `cleanup` does not undo.
#include <array>
#include <csignal>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <thread>

#include "integration/loops.hpp"
#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kJob =
    "diskproof: 1\nname: killed\ndisks:\n  d:\n    loop: {image: d.img, size: 64MiB}\n    fill: true\n"
    "    filesystem: {type: ext4}\n    throttle: {write.iops: 5000}\n"
    "    prepare: [wipe, {scheduler: mq-deadline}, fstrim, {mode: \"0700\"}]\n"
    "defaults: {engine: sync, operations: write, block_size: 64KiB, operations_count: 200}\n"
    "phases: [{name: load, disk: d, size: 4MiB}]\n";

// Of the runs that left a journal.
std::string run_id_of(const Bench& bench) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(bench.path("state/diskproof"), ignored)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory() && !name.starts_with("mount-")) return name;
  }
  return "";
}

std::string left(const Bench& bench, const std::string& run_id) {
  std::vector<std::string> all = bench.leftovers();
  std::erase_if(all, [](const std::string& name) { return name.starts_with("out"); });
  for (const std::string& line : left_in_system(bench, run_id)) all.push_back(line);
  return joined(all);
}

// What the run's journal says of settings of devices: their files, with what they held before.
std::map<std::string, std::string> changed_settings(const Bench& bench, const std::string& run_id) {
  std::map<std::string, std::string> settings;
  std::ifstream journal(bench.path("state/diskproof/" + run_id + "/journal.jsonl"));
  for (std::string line; std::getline(journal, line);) {
    const Json step = Json::parse(line, nullptr, false);
    if (step.is_object() && step.value("kind", "") == "restore_setting") settings[step.at("path")] = step.at("value");
  }
  return settings;
}

// But for loop devices that another program has by now.
std::vector<std::string> not_set_back(const std::map<std::string, std::string>& settings) {
  std::vector<std::string> wrong;
  for (const auto& [path, before] : settings) {
    std::ifstream file(path);
    std::string now;
    std::getline(file, now);
    const bool same = now == before || now.find("[" + before + "]") != std::string::npos;
    if (!same && !fs::exists(fs::path(path).parent_path().parent_path() / "loop")) wrong.push_back(path + " " + now);
  }
  return wrong;
}

// The group of the runner by one call, the runner alone, or each of its processes, those of other groups too.
enum class Kill { group, runner, each };

void kill(Program& program, Kill how) {
  if (how == Kill::group) return program.signal_group(SIGKILL);
  if (how == Kill::each) {
    for (const int child : children_of(program.pid())) kill_process(child);
  }
  program.signal(SIGKILL);
}

}  // namespace

TEST_CASE("a run killed at any moment is undone by cleanup, and cleaning up twice does no harm") {
  if (skipped_without_loops()) return;
  const int cycles = std::getenv("DISKPROOF_LONG") != nullptr ? 400 : 20;
  constexpr std::array kHow{Kill::group, Kill::runner, Kill::group, Kill::each};
  std::mt19937 random(20261201);
  int undone = 0, set_back = 0;
  for (int cycle = 0; cycle < cycles; ++cycle) {
    const Bench bench;
    const auto program = bench.start(kJob);
    const auto moment = std::chrono::milliseconds(std::uniform_int_distribution(0, 1200)(random));
    std::this_thread::sleep_for(moment);
    kill(*program, kHow[static_cast<std::size_t>(cycle) % kHow.size()]);
    bench.finish(*program);
    const std::string run_id = run_id_of(bench);
    const auto settings = changed_settings(bench, run_id);
    CAPTURE(cycle);
    CAPTURE(moment.count());
    const Finished cleanup = bench.diskproof({"cleanup"});
    INFO(cleanup.out, cleanup.err);
    CHECK(cleanup.code == 0);
    undone += cleanup.out.find("done:") != std::string::npos ? 1 : 0;
    CHECK(left(bench, run_id) == "");
    CHECK(joined(not_set_back(settings)) == "");
    set_back += settings.empty() ? 0 : 1;
    const Finished again = bench.diskproof({"cleanup"});
    CHECK(again.code == 0);
    CHECK(again.out == "nothing to clean up\n");
  }
  MESSAGE(undone, " of ", cycles, " kills left something to undo, ", set_back, " a scheduler");
  CHECK(undone > 0);
}

TEST_CASE("a disk that a killed run left is refused until cleanup") {
  if (skipped_without_loops()) return;
  const Bench bench;
  const auto program = bench.start(std::string(kJob) + "timeout: 60s\n");
  REQUIRE(bench.wait_for(*program, "phase_started"));
  kill(*program, Kill::each);
  bench.finish(*program);
  const Finished refused = bench.run(kJob);
  INFO(refused.out, refused.err);
  CHECK(refused.code == 4);
  CHECK(refused.out.find("cleanup") != std::string::npos);
  CHECK(bench.diskproof({"cleanup"}).code == 0);
  const Finished after = bench.run(kJob);
  INFO(after.out, after.err);
  CHECK(after.code == 0);
}

}  // namespace diskproof::testing
