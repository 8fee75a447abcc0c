// Running diskproof and looking at its surroundings.
#include "integration/bench.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <thread>

namespace diskproof::testing {
namespace fs = std::filesystem;

namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

Bench::Bench() {
  fs::create_directory(path("work"));
  fs::create_directory(path("state"));
}

Launch Bench::launch(std::vector<std::string> arguments, const std::string& output) const {
  arguments.insert(arguments.begin(), DISKPROOF_BINARY);
  return {.arguments = std::move(arguments),
          .environment = {{"XDG_STATE_HOME", path("state")}},
          .folder = path("work"),
          .out = path(output + ".out"),
          .err = path(output + ".err")};
}

Finished Bench::diskproof(const std::vector<std::string>& arguments, std::chrono::seconds limit) const {
  Program program(launch(arguments, "ended"));
  return finish(program, limit);
}

Finished Bench::run(const std::string& job, const std::vector<std::string>& more, std::chrono::seconds limit) const {
  std::vector<std::string> arguments{"run", folder_.write("job.yaml", job), "--out", path("out")};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return diskproof(arguments, limit);
}

std::unique_ptr<Program> Bench::start(const std::string& job) const {
  return std::make_unique<Program>(
      launch({"run", folder_.write("job.yaml", job), "--out", path("out"), "--json"}, "started"));
}

Finished Bench::finish(Program& program, std::chrono::seconds limit) const {
  const int code = program.wait(limit);
  Finished finished{code, read_file(program.launch().out), read_file(program.launch().err)};
  INFO(finished.err);
  CHECK(finished.err.find("Sanitizer") == std::string::npos);
  return finished;
}

bool Bench::wait_for(Program& program, const std::string& text, std::chrono::seconds limit) const {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < deadline) {
    const bool ended = !program.running();
    if (read_file(program.launch().out).find(text) != std::string::npos) return true;
    if (ended) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

std::vector<std::string> Bench::leftovers() const {
  const std::set<std::string> expected{"job.yaml",    "ended.out",     "ended.err",      "started.out",
                                       "started.err", "work",          "state",          "state/diskproof",
                                       "out",         "out/junit.xml", "out/result.json"};
  std::vector<std::string> left;
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
    const std::string name = entry.path().lexically_relative(folder_.path()).string();
    const bool device_lock = name.starts_with("state/diskproof/device-");  // stays, as its run's name is in it
    if (!expected.contains(name) && !device_lock) left.push_back(name);
  }
  for (const int pid : processes()) left.push_back("process " + std::to_string(pid));
  std::sort(left.begin(), left.end());
  return left;
}

std::vector<int> Bench::processes() const { return processes_with_environment("XDG_STATE_HOME=" + path("state")); }

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::uint64_t content_hash(const std::string& path) { return std::hash<std::string>{}(read_file(path)); }

}  // namespace diskproof::testing
