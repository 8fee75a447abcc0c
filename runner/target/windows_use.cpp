// One message per reason.
#include "target/windows_use.hpp"

#include <fmt/format.h>

namespace diskproof {

void add_windows_uses(std::vector<Refusal>& out, const std::string& what, const DeviceFacts& device) {
  if (!device.system_use.empty()) {
    out.push_back({RefusalKind::system_disk,
                   fmt::format("{} holds {}; this machine cannot do without it", what, device.system_use)});
  }
  if (!device.page_file.empty()) {
    out.push_back({RefusalKind::page_file,
                   fmt::format("{} holds the page file {}; move that elsewhere (System Properties, Advanced, "
                               "Performance, Virtual memory) and restart, if it is the right device",
                               what, device.page_file)});
  }
  if (!device.managed_by.empty()) {
    const bool dynamic = device.managed_by == "dynamic disks";
    out.push_back({dynamic ? RefusalKind::dynamic_disk : RefusalKind::pool_member,
                   dynamic ? fmt::format("{} is one of the dynamic disks, whose volumes may lie on others, too; delete "
                                         "those and convert it to basic (diskpart: `convert basic`), if it is the "
                                         "right device",
                                         what)
                           : fmt::format("{} is a member of {}; take it out of there (Remove-PhysicalDisk), if it is "
                                         "the right device",
                                         what, device.managed_by)});
  }
}

std::string unmount_advice(const DeviceFacts& device, bool of_windows) {
  if (!of_windows) return "unmount it";
  std::string commands;
  for (const MountUse& use : device.mounts) {
    commands += fmt::format("{}`mountvol {} /D`", commands.empty() ? "" : ", ", use.mount_point);
  }
  return fmt::format("take it from there ({})", commands);
}

}  // namespace diskproof
