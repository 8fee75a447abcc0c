// What only disks have that are attached, formatted or mounted: loop, mount, identity, filesystem, prepare, throttle.
#include <array>
#include <fmt/format.h>
#include <utility>

#include "job/struct_parsers.hpp"

namespace diskproof {
namespace {

template <class T, class Parse>
void read(MapReader& reader, std::string_view key, std::optional<T>& out, Parse parse) {
  T value{};
  const bool given = reader.map().find(key) != nullptr;
  reader.scalar(key, value, parse);
  if (given && !reader.context().unusable.contains(reader.path_of(key))) out = std::move(value);
}

DeviceIdentity parse_identity(const Node& node, const std::string& path, ParseContext& context) {
  DeviceIdentity identity;
  MapReader reader(node, "identity", path, context);
  read(reader, "serial", identity.serial, parse_text);
  read(reader, "wwn", identity.wwn, parse_text);
  read(reader, "model", identity.model, parse_text);
  read(reader, "firmware", identity.firmware, parse_text);
  read(reader, "size", identity.size, parse_size);
  read(reader, "min_size", identity.min_size, parse_size);
  read(reader, "rotational", identity.rotational, parse_boolean);
  return identity;
}

Filesystem parse_filesystem(const Node& node, const std::string& path, ParseContext& context) {
  Filesystem filesystem;
  MapReader reader(node, "filesystem", path, context);
  reader.scalar("type", filesystem.type, parse_text);
  reader.scalar("label", filesystem.label, parse_text);
  filesystem.mkfs_args = parse_texts(reader, "mkfs_args");
  filesystem.mount_options = parse_texts(reader, "mount_options");
  return filesystem;
}

struct StepName {
  std::string_view name;
  PrepareKind kind;
};
constexpr std::array<StepName, 4> kPlainSteps{{{"discard", PrepareKind::discard},
                                               {"secure_discard", PrepareKind::secure_discard},
                                               {"wipe", PrepareKind::wipe},
                                               {"fstrim", PrepareKind::fstrim}}};
constexpr std::array<StepName, 4> kStepsWithValue{{{"scheduler", PrepareKind::scheduler},
                                                   {"read_ahead", PrepareKind::read_ahead},
                                                   {"owner", PrepareKind::owner},
                                                   {"mode", PrepareKind::mode}}};

void parse_step(const Node& node, const std::string& path, ParseContext& context, std::vector<PrepareStep>& steps) {
  if (node.kind == Node::Kind::scalar) {
    for (const StepName& step : kPlainSteps) {
      if (step.name == node.text) steps.push_back({step.kind, {}});
    }
    return;
  }
  MapReader reader(node, "prepare_setting", path, context);
  std::size_t found = 0;
  for (const StepName& step : kStepsWithValue) {
    const Node* value = reader.take(step.name);
    if (value == nullptr) continue;
    ++found;
    steps.push_back({step.kind, value->text});
  }
  if (node.kind == Node::Kind::map && found != 1) {
    context.error(node.at, path, "is not one step", "write each step as an item of its own, in their order");
  }
}

void parse_throttle(const Node& node, const std::string& path, ParseContext& context, LimitGroup& throttle) {
  MapReader reader(node, "throttle", path, context);
  const auto number = [&](const std::string& key, auto parse) {
    std::optional<double> value;
    read(reader, key, value, parse);
    if (value) throttle.values[key] = *value;
  };
  for (const std::string_view direction : {"read", "write"}) {
    number(fmt::format("{}.iops", direction), parse_number);
    number(fmt::format("{}.bandwidth", direction), parse_bandwidth);
  }
}

}  // namespace

void parse_loop(MapReader& disk, Disk& out) {
  const Node* node = disk.take("loop");
  if (node == nullptr) return;
  MapReader reader(*node, "loop", disk.path_of("loop"), disk.context());
  reader.scalar("image", out.path, parse_text);
  reader.scalar("size", out.capacity, parse_size);
  if (!out.capacity || out.path.empty()) disk.mark_unusable("loop");
}

void parse_mount(MapReader& disk, Disk& out) {
  const Node* node = disk.take("mount");
  if (node == nullptr) return;
  MapReader reader(*node, "mount", disk.path_of("mount"), disk.context());
  reader.scalar("source", out.share.source, parse_text);
  reader.scalar("type", out.share.type, parse_text);
  out.share.options = parse_texts(reader, "options");
}

void parse_device_keys(MapReader& disk, Disk& out) {
  ParseContext& context = disk.context();
  disk.scalar("destroy", out.destroy, parse_boolean);
  if (const Node* node = disk.take("identity")) {
    out.identity = parse_identity(*node, disk.path_of("identity"), context);
  }
  if (const Node* node = disk.take("filesystem")) {
    out.filesystem = parse_filesystem(*node, disk.path_of("filesystem"), context);
  }
  if (const Node* node = disk.take("throttle")) {
    parse_throttle(*node, disk.path_of("throttle"), context, out.throttle);
  }
  const Node* steps = disk.take("prepare");
  for (std::size_t i = 0; steps != nullptr && i < steps->items.size(); ++i) {
    parse_step(steps->items[i], child_path(disk.path_of("prepare"), i), context, out.prepare);
  }
}

}  // namespace diskproof
