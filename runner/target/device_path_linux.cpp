// From a path to the number of the device that it leads to.
#include <cerrno>
#include <filesystem>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "target/device_facts.hpp"

namespace diskproof {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as the kernel has it

// The first place below /dev on the way, "." and ".." taken out.
std::string first_in_dev(fs::path path) {
  for (int links = 0; links < kMostLinks; ++links) {
    path = path.lexically_normal();
    if (path.native().starts_with("/dev/")) return path.string();
    std::error_code fault;
    const fs::path target = fs::read_symlink(path, fault);
    if (fault) break;
    path = target.is_absolute() ? target : path.parent_path() / target;
  }
  return "";
}

DevicePath::Found found_by(mode_t mode) {
  if (S_ISBLK(mode)) return DevicePath::Found::block_device;
  if (S_ISDIR(mode)) return DevicePath::Found::directory;
  return S_ISREG(mode) ? DevicePath::Found::regular_file : DevicePath::Found::other;
}

}  // namespace

DevicePath resolve_device(const std::string& path) {
  DevicePath out;
  out.given = path;
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    out.found = errno == EACCES ? DevicePath::Found::not_permitted : DevicePath::Found::missing;
    return out;
  }
  std::error_code fault;
  out.found = found_by(status.st_mode);
  out.resolved = fs::canonical(path, fault).string();
  out.named_by = first_in_dev(fs::absolute(path, fault));
  if (out.found == DevicePath::Found::block_device) out.number = {major(status.st_rdev), minor(status.st_rdev)};
  return out;
}

}  // namespace diskproof
