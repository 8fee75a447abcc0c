// Mounting in a mount namespace of this process.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sched.h>
#include <sys/mount.h>

#include "integration/ram_mount.hpp"

namespace diskproof::testing {
namespace {

// Once per process; everything mounted afterwards ends with it.
std::string leave_common_namespace() {
  if (unshare(CLONE_NEWNS) != 0) return std::string("unshare: ") + std::strerror(errno);
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return std::strerror(errno);
  return "";
}

}  // namespace

RamMount::RamMount(const std::string& type, const std::string& folder) : folder_(folder) {
  static const std::string common_fault = leave_common_namespace();
  fault_ = common_fault;
  std::filesystem::create_directory(folder);
  if (!fault_.empty()) return;
  if (mount(type.c_str(), folder.c_str(), type.c_str(), 0, nullptr) != 0) fault_ = std::strerror(errno);
}

RamMount::~RamMount() {
  if (fault_.empty()) umount2(folder_.c_str(), MNT_DETACH);
}

}  // namespace diskproof::testing
