// Each waits until the load is under way and its queues are connected: one that still connects would fail.
#include "beds/share_faults.hpp"

#include <chrono>
#include <csignal>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fstream>
#include <thread>

#include "beds/words.hpp"
#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

bool is_under_way(const Bench& bench, Program& run, const std::string& phase) {
  return bench.wait_for(run, fmt::format(R"("event":"tick","phase":"{}")", phase));
}

// Under load, `fault` happens; then the end of the run.
Finished run_with(const Bench& bench, const std::string& job, const std::function<void()>& fault) {
  const auto run = bench.start(job);
  REQUIRE(is_under_way(bench, *run, "load"));
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  fault();
  return bench.finish(*run, std::chrono::seconds(50));
}

void stop_for(const SignalServer& signal, std::chrono::seconds time) {
  signal(SIGSTOP);
  std::this_thread::sleep_for(time);
  signal(SIGCONT);  // so that the undo can work
}

}  // namespace

void check_stop_is_seen(const std::string& job, const SignalServer& signal) {
  const Bench bench;
  const Finished finished = run_with(bench, job, [&] { stop_for(signal, std::chrono::seconds(3)); });
  INFO(finished.out, finished.err);
  CHECK(finished.code == 0);
  const Result result(bench);
  CHECK(result.metric("load", "read.latency.max") > 2.9e9);
  CHECK(result.metric("load", "total.stall.max") > 2.9e9);
}

void check_death_ends_phase(const std::string& job, const SignalServer& signal) {
  const Bench bench;
  const Finished finished = run_with(bench, job, [&] { signal(SIGKILL); });
  INFO(finished.out, finished.err);
  CHECK(finished.code == 2);
  const Result result(bench);
  CHECK(result.outcome("load") == "error");
  CHECK(has(result.reason("load"), "enodev"));
  CHECK(read_junit(bench).cases.size() > 0);
}

void check_limit_ends_phase(const std::string& job, const SignalServer& signal) {
  const Bench bench;
  const Finished finished = run_with(bench, job, [&] { stop_for(signal, std::chrono::seconds(6)); });
  INFO(finished.out, finished.err);
  CHECK(finished.code == 2);
  CHECK(has(Result(bench).reason("load"), "etimedout"));
}

void cut_off(const Bench& bench, const std::string& job, const std::string& phase) {
  const auto run = bench.start(job);
  REQUIRE(is_under_way(bench, *run, phase));
  for (const int child : children_of(run->pid())) kill_process(child);
  run->signal(SIGKILL);
  bench.finish(*run);
}

void change_byte(const std::string& path, long at) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(at);
  const char was = static_cast<char>(file.get());
  file.seekp(at);
  file.put(static_cast<char>(was ^ 1));
}

}  // namespace diskproof::testing
