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

Bench::Bench() {
  fs::create_directory(path("work"));
  fs::create_directory(path("state"));
}

Launch Bench::launch(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), DISKPROOF_BINARY);
  return {.arguments = std::move(arguments),
          .environment = {{"XDG_STATE_HOME", path("state")}},
          .folder = path("work"),
          .out = path("stdout"),
          .err = path("stderr")};
}

Finished Bench::diskproof(const std::vector<std::string>& arguments, std::chrono::seconds limit) const {
  Program program(launch(arguments));
  return finish(program, limit);
}

Finished Bench::run(const std::string& job, const std::vector<std::string>& more, std::chrono::seconds limit) const {
  std::vector<std::string> arguments{"run", folder_.write("job.yaml", job), "--out", path("out")};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return diskproof(arguments, limit);
}

std::unique_ptr<Program> Bench::start(const std::string& job) const {
  return std::make_unique<Program>(launch({"run", folder_.write("job.yaml", job), "--out", path("out"), "--json"}));
}

Finished Bench::finish(Program& program, std::chrono::seconds limit) const {
  const int code = program.wait(limit);
  Finished finished{code, folder_.read("stdout"), folder_.read("stderr")};
  INFO(finished.err);
  CHECK(finished.err.find("Sanitizer") == std::string::npos);
  return finished;
}

bool Bench::wait_for(Program& program, const std::string& text, std::chrono::seconds limit) const {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < deadline) {
    const bool ended = !program.running();
    if (folder_.read("stdout").find(text) != std::string::npos) return true;
    if (ended) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

std::vector<std::string> Bench::leftovers() const {
  const std::set<std::string> expected{"job.yaml", "stdout",        "stderr",          "work",           "state",
                                       "out",      "out/junit.xml", "out/result.json", "state/diskproof"};
  std::vector<std::string> left;
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
    const std::string name = entry.path().lexically_relative(folder_.path()).string();
    if (!expected.contains(name)) left.push_back(name);
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

std::uint64_t content_hash(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::hash<std::string>{}({std::istreambuf_iterator<char>(file), {}});
}

}  // namespace diskproof::testing
