#include "beds/slow_disk.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sys/mount.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace diskproof::testing {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds kStart{10'000};  // far more than a mount takes
constexpr std::chrono::milliseconds kLook{20};
constexpr std::chrono::milliseconds kTakesHold{150};  // settings are looked at every 20 ms

bool is_mounted(const std::string& folder) {
  struct stat own {};
  struct stat parent {};
  if (::stat(folder.c_str(), &own) != 0 || ::stat((folder + "/..").c_str(), &parent) != 0) return false;
  return own.st_dev != parent.st_dev;
}

std::string why_not() {
  if (std::string(DISKPROOF_SLOW_FILE).empty()) return "it was built without libfuse3";
  if (::geteuid() != 0) return "only root mounts here";
  if (::access("/dev/fuse", R_OK | W_OK) != 0) return "there is no /dev/fuse";
  return {};
}

}  // namespace

SlowDisk::SlowDisk(Settings settings) : settings_(std::move(settings)), fault_(why_not()) {
  if (!fault_.empty()) return;
  fs::create_directories(folder_.path("store"));
  fs::create_directories(folder_.path("mount"));
  write_settings();
  program_ = std::make_unique<Program>(
      Launch{{DISKPROOF_SLOW_FILE, folder_.path("store"), folder_.path("mount"), folder_.path("control")},
             {},
             folder_.path(),
             folder_.path("out"),
             folder_.path("err")});
  const auto patience = std::chrono::steady_clock::now() + kStart;
  while (!is_mounted(folder_.path("mount"))) {
    if (!program_->running() || std::chrono::steady_clock::now() > patience) {
      fault_ = "slow_file does not mount here";
      return;
    }
    std::this_thread::sleep_for(kLook);
  }
}

SlowDisk::~SlowDisk() {
  if (!program_) return;
  settings_["dead"] = 0;
  set("stall", 0);
  program_->signal(SIGTERM);
  program_->wait(kStart);
  ::umount2(folder_.path("mount").c_str(), MNT_DETACH);  // also one that vanished, which cannot be looked at
}

void SlowDisk::set(const std::string& name, std::int64_t value) {
  settings_[name] = value;
  write_settings();
  std::this_thread::sleep_for(kTakesHold);
}

void SlowDisk::vanish() {
  program_->signal(SIGKILL);
  program_->wait(kStart);
}

void SlowDisk::write_settings() const {
  {
    std::ofstream file(folder_.path("control.new"));
    for (const auto& [name, value] : settings_) file << name << ' ' << value << '\n';
  }
  fs::rename(folder_.path("control.new"), folder_.path("control"));
}

}  // namespace diskproof::testing
