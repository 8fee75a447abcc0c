// libblkid on the device itself: its cache and udev's are not asked, they may be of another device by now.
#include <blkid/blkid.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "target/device_roots_linux.hpp"

namespace diskproof {
namespace {

std::string value_of(blkid_probe probe, const char* name) {
  const char* text = nullptr;
  std::size_t length = 0;
  if (blkid_probe_lookup_value(probe, name, &text, &length) != 0 || text == nullptr) return "";
  return text;
}

struct Probe {
  blkid_probe probe = blkid_new_probe();
  Probe() = default;
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;
  ~Probe() { blkid_free_probe(probe); }
};

// Two of them on one device, as "ext4 and an old LVM2_member", are both told: each step finds one more.
std::string probe_descriptor(int descriptor, std::vector<Signature>& signatures) {
  const Probe owner;
  if (owner.probe == nullptr || blkid_probe_set_device(owner.probe, descriptor, 0, 0) != 0) {
    return "libblkid cannot look at it";
  }
  blkid_probe_enable_superblocks(owner.probe, 1);
  blkid_probe_set_superblocks_flags(owner.probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_LABEL | BLKID_SUBLKS_UUID);
  blkid_probe_enable_partitions(owner.probe, 1);
  int found = 0;
  while ((found = blkid_do_probe(owner.probe)) == 0) {
    Signature signature{.type = value_of(owner.probe, "TYPE"),
                        .label = value_of(owner.probe, "LABEL"),
                        .uuid = value_of(owner.probe, "UUID")};
    if (signature.type.empty()) {
      signature.type = value_of(owner.probe, "PTTYPE");
      signature.uuid = value_of(owner.probe, "PTUUID");
    }
    if (!signature.type.empty()) signatures.push_back(std::move(signature));
  }
  return found < 0 ? "libblkid cannot read it" : "";
}

}  // namespace

void read_signatures(DeviceFacts& device) {
  device.looked_into = true;
  device.signatures.clear();
  device.signatures_fault.clear();
  device.forbidden = false;
  if (device.size == 0) return;
  const int descriptor = open(device.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    device.forbidden = errno == EACCES || errno == EPERM;
    device.signatures_fault = std::strerror(errno);
    return;
  }
  struct stat status {};
  const bool same = fstat(descriptor, &status) == 0 && S_ISBLK(status.st_mode) &&
                    DeviceNumber{major(status.st_rdev), minor(status.st_rdev)} == device.number;
  device.signatures_fault =
      same ? probe_descriptor(descriptor, device.signatures) : "another device is at " + device.path;
  close(descriptor);
}

}  // namespace diskproof
