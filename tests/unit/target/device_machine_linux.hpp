// A machine with the disks that a test wants: trees in the form of /sys, /proc, /dev and udev's data.
#pragma once

#include <filesystem>
#include <string>

#include "support/temp_folder.hpp"
#include "target/device_guard.hpp"
#include "target/device_roots_linux.hpp"

namespace diskproof {

class Machine {
 public:
  Machine() {
    for (const char* folder : {"sys/class/block", "proc/self/ns", "dev/disk/by-id", "udev"}) make(folder);
    file("proc/self/mountinfo", "");
    link("proc/self/ns/mnt", "mnt:[1]");
    file("proc/swaps", "Filename Type Size Used Priority\n");
  }

  void file(const std::string& path, const std::string& text) const {
    make(std::filesystem::path(path).parent_path().string());
    folder_.write(path, text);
  }
  void link(const std::string& path, const std::string& target) const {
    make(std::filesystem::path(path).parent_path().string());
    std::filesystem::create_symlink(target, folder_.path(path));
  }

  // A disk of 1000 GB with a device behind it.
  void disk(const std::string& name, const std::string& number) const {
    device(name, number);
    make("sys/devices/" + name + "/device");
  }
  void device(const std::string& name, const std::string& number) const {
    place(name, "sys/devices/" + name, number);
    file("sys/devices/" + name + "/queue/logical_block_size", "512\n");
    file("sys/devices/" + name + "/queue/physical_block_size", "4096\n");
    file("sys/devices/" + name + "/queue/rotational", "0\n");
  }
  void partition(const std::string& disk, int part, const std::string& number) const {
    const std::string name = disk + std::to_string(part), path = "sys/devices/" + disk + "/" + name;
    place(name, path, number);
    file(path + "/partition", std::to_string(part) + "\n");
  }
  void mapping(const std::string& name, const std::string& number, const std::string& uuid,
               const std::string& mapped) const {
    device(name, number);
    file("sys/devices/" + name + "/dm/uuid", uuid + "\n");
    file("sys/devices/" + name + "/dm/name", mapped + "\n");
    link("dev/mapper/" + mapped, "../" + name);
  }
  void holds(const std::string& holder, const std::string& of) const { make(canonical(of) + "/holders/" + holder); }
  void attribute(const std::string& name, const std::string& file_name, const std::string& text) const {
    file(canonical(name) + "/" + file_name, text);
  }

  // Lines of a mount table, as "8:1 /srv ext4 /dev/sda1".
  static std::string mount_line(const std::string& number, const std::string& place, const std::string& type,
                                const std::string& source) {
    return "30 1 " + number + " / " + place + " rw,relatime shared:1 - " + type + " " + source + " rw\n";
  }
  void mounts(const std::string& lines) const { file("proc/self/mountinfo", lines); }
  void process(const std::string& pid, const std::string& space, const std::string& lines) const {
    link("proc/" + pid + "/ns/mnt", space);
    file("proc/" + pid + "/mountinfo", lines);
  }

  [[nodiscard]] DeviceRoots roots() const {
    return {.sys = folder_.path("sys"),
            .proc = folder_.path("proc"),
            .dev = folder_.path("dev"),
            .udev = folder_.path("udev")};
  }
  // With all devices looked into, and nothing found on them.
  [[nodiscard]] DeviceTable table() const {
    DeviceTable table = read_devices(roots());
    for (DeviceFacts& device : table.devices) device.looked_into = true;
    return table;
  }

 private:
  void make(const std::string& folder) const { std::filesystem::create_directories(folder_.path(folder)); }
  [[nodiscard]] std::string canonical(const std::string& name) const {
    const auto place = std::filesystem::canonical(folder_.path("sys/class/block/" + name));
    return place.lexically_relative(std::filesystem::canonical(folder_.path())).string();
  }
  void place(const std::string& name, const std::string& path, const std::string& number) const {
    file(path + "/dev", number + "\n");
    file(path + "/size", "1953525168\n");
    file(path + "/ro", "0\n");
    make(path + "/holders");
    link("sys/class/block/" + name, "../../../" + path);
  }

  TempFolder folder_;
};

inline DevicePath path_to(const DeviceFacts& device, const std::string& named_by) {
  return {.found = DevicePath::Found::block_device,
          .given = named_by,
          .resolved = device.path,
          .named_by = named_by,
          .number = device.number};
}

}  // namespace diskproof
