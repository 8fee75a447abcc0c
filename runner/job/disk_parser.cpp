// One disk of the job.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "job/struct_parsers.hpp"

namespace diskproof {
namespace {

constexpr const char* kOneOf = "a disk is one of file, directory, device, loop, mount, url, virtual";

std::optional<DiskKind> kind_named(std::string_view key) {
  static constexpr std::array<std::pair<std::string_view, DiskKind>, 7> kNames{{{"file", DiskKind::file},
                                                                                {"directory", DiskKind::directory},
                                                                                {"device", DiskKind::device},
                                                                                {"loop", DiskKind::loop},
                                                                                {"mount", DiskKind::mount},
                                                                                {"url", DiskKind::url},
                                                                                {"virtual", DiskKind::virtual_disk}}};
  const auto found = std::ranges::find(kNames, key, &std::pair<std::string_view, DiskKind>::first);
  return found == kNames.end() ? std::nullopt : std::optional(found->second);
}

// Sets the disk's kind and target. Kinds of later versions count as given.
void parse_disk_kind(MapReader& reader, Location at, Disk& disk) {
  static constexpr std::array<std::string_view, 8> kKinds{"file", "directory", "virtual", "device",
                                                          "loop", "mount",     "url",     "devices"};
  reader.scalar("file", disk.path, parse_text);
  reader.scalar("directory", disk.path, parse_text);
  reader.scalar("device", disk.path, parse_text);
  reader.scalar("url", disk.path, parse_text);
  parse_loop(reader, disk);
  parse_mount(reader, disk);
  std::vector<const Entry*> given;
  for (const Entry& entry : reader.map().entries) {
    if (std::find(kKinds.begin(), kKinds.end(), entry.key) != kKinds.end()) given.push_back(&entry);
  }
  if (const Node* node = reader.take("virtual")) {
    MapReader inner(*node, "virtual", reader.path_of("virtual"), reader.context());
    inner.scalar("size", disk.capacity, parse_size);
    if (!disk.capacity) reader.mark_unusable("virtual");
  }
  if (given.size() != 1) reader.mark_unusable("kind");
  if (given.empty()) {
    reader.context().error(at, reader.path(), "does not say what it is",
                           "it is one of file, directory, device, loop, mount, url, virtual");
  } else if (given.size() > 1) {
    reader.context().error(given[1]->key_at, reader.path(),
                           fmt::format("has both {} and {}", given[0]->key, given[1]->key), kOneOf);
  } else if (const auto kind = kind_named(given[0]->key)) {
    disk.kind = *kind;
  } else {
    reader.mark_unusable("kind");
  }
}

}  // namespace

Disk parse_disk(const Entry& entry, ParseContext& context) {
  Disk disk;
  disk.name = entry.key;
  MapReader reader(entry.value, "disk", child_path("disks", entry.key), context);
  parse_disk_kind(reader, entry.key_at, disk);
  parse_device_keys(reader, disk);
  reader.scalar("subdirectory", disk.subdirectory, parse_text);
  reader.scalar("fill", disk.fill, parse_boolean);
  reader.scalar("keep", disk.keep, parse_boolean);
  reader.scalar("overwrite", disk.overwrite, parse_boolean);
  disk.engines = parse_engines(reader);
  disk.limits = parse_limits(reader);
  return disk;
}

}  // namespace diskproof
