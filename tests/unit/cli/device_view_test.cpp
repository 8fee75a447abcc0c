// What people and programs are shown of devices.
#include "cli/device_view.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace diskproof {
namespace {

DeviceFacts device(const std::string& name, DeviceKind kind, std::uint32_t minor, std::uint64_t size) {
  DeviceFacts facts;
  facts.name = name;
  facts.path = "/dev/" + name;
  facts.kind = kind;
  facts.number = {8, minor};
  facts.size = size;
  facts.looked_into = true;
  return facts;
}

DeviceTable sample() {
  DeviceFacts system = device("sda", DeviceKind::disk, 0, std::uint64_t{80} << 30);
  system.model = "QEMU\x1b[2J";
  system.mounts = {{"/", "ext4", 0}};
  DeviceFacts data = device("sdb", DeviceKind::disk, 16, std::uint64_t{1} << 40);
  data.serial = "VOL1";
  data.links = {"/dev/disk/by-id/virtio-VOL1"};
  data.signatures = {{"xfs", "old", "77"}};
  DeviceFacts loop = device("loop3", DeviceKind::loop, 3, 512 << 20);
  loop.backing_file = "/srv/image";
  return {.devices = {system, data, loop, device("loop4", DeviceKind::loop, 4, 0)}, .zfs_pools = {}};
}

TEST_CASE("devices: a table with use, lasting name and what a job needs") {
  CHECK(devices_text(sample()) ==
        "device      size     model  serial or WWN  use\n"
        "/dev/sda    80 GiB   QEMU   -              mounted at / (ext4)\n"
        "    no job may write to it: /dev/sda is mounted at / (ext4); unmount it if it is the right device\n"
        "/dev/sdb    1 TiB    -      VOL1           xfs \"old\"\n"
        "    also /dev/disk/by-id/virtio-VOL1\n"
        "    a job may write to it with `destroy: true` and --allow-destroy NAME=VOL1\n"
        "/dev/loop3  512 MiB  -      -              free\n"
        "    of the image /srv/image\n"
        "    a job may write to it with `destroy: true` and --allow-destroy NAME\n"
        "\n1 of size 0 (nothing attached, no medium) not shown; see --json\n");
  CHECK(devices_text({}) == "there are no block devices with a size here\n");
}

TEST_CASE("devices: JSON has every device, all facts and all refusals") {
  const auto json = nlohmann::json::parse(devices_json(sample())).at("devices");
  REQUIRE(json.size() == 4);
  CHECK(json[0].at("mounts")[0].at("mount_point") == "/");
  CHECK(json[0].at("refusals").size() == 1);
  CHECK_FALSE(json[0].contains("serial"));
  CHECK(json[1].at("number") == "8:16");
  CHECK(json[1].at("consent_ids")[0] == "VOL1");
  CHECK(json[1].at("signatures")[0].at("label") == "old");
  CHECK(json[1].at("refusals").empty());
  CHECK(json[2].at("kind") == "loop");
  CHECK(json[3].at("size") == 0);
  CHECK(json[3].at("refusals").size() == 1);
}

}  // namespace
}  // namespace diskproof
