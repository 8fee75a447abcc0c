// From /proc and /sys.
#include "integration/loops.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace diskproof::testing {

namespace fs = std::filesystem;

bool skipped_without_loops() {
  std::string reason;
  if (!fs::exists("/dev/loop-control")) reason = "this kernel has no loop devices";
  if (geteuid() != 0) reason = "only root attaches loop devices";
  if (!reason.empty()) MESSAGE("skipped: ", reason);
  return !reason.empty();
}

std::vector<std::string> left_in_system(const Bench& bench, const std::string& run_id, const std::string& image) {
  const auto named = [&](const std::string& text) { return !run_id.empty() && text.find(run_id) != std::string::npos; };
  std::vector<std::string> left;
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    if (line.find(bench.folder().path()) != std::string::npos || named(line)) left.push_back(line);
  }
  for (const auto& entry : fs::directory_iterator("/sys/block")) {
    std::ifstream backing(entry.path() / "loop/backing_file");
    std::string file;
    std::getline(backing, file);
    const bool ours = file.starts_with(bench.folder().path()) || (!image.empty() && file.starts_with(image));
    if (ours) left.push_back(entry.path().string() + " " + file);
  }
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/sys/fs/cgroup/blkio", ignored)) {
    if (named(entry.path().string())) left.push_back(entry.path().string());
  }
  return left;
}

}  // namespace diskproof::testing
