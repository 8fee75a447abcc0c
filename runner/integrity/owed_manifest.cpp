// One JSON object per map.
#include "integrity/owed_manifest.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "integrity/manifest.hpp"
#include "support/atomic_file.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"

namespace diskproof {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kSuffix = ".owed";

fs::path owed_path(const std::string& map_path) { return path_from(map_path + kSuffix); }

std::optional<OwedManifest> read_owed(const std::string& map_path) {
  const fs::path path = owed_path(map_path);
  std::error_code none;
  if (!fs::exists(path, none)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  try {
    const Json json = Json::parse(file);
    OwedManifest owed;
    json.at("manifest").get_to(owed.path);
    json.at("run_id").get_to(owed.facts.run_id);
    json.at("disk").get_to(owed.facts.disk);
    json.at("phase").get_to(owed.facts.phase);
    for (const Json& file_path : json.at("paths")) owed.facts.files.push_back({.path = file_path.get<std::string>()});
    return owed;
  } catch (const Json::exception& fault) {
    throw Error(ErrorKind::failed, fmt::format("{} cannot be read: {}", text_of(path), fault.what()));
  }
}

void make_manifest(const std::string& map_path, const OwedManifest& owed) {
  const WrittenMap map(map_path);
  if (map.files() != owed.facts.files.size()) {
    throw Error(ErrorKind::failed, map_path + ": the map is of another disk");
  }
  write_manifest(owed.path, map, owed.facts);
}

// Of which something is owed, in order.
std::vector<std::string> maps_in(const std::string& folder) {
  std::error_code none;
  std::vector<std::string> maps;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_from(folder), none)) {
    const std::string name = text_of(entry.path());
    if (name.ends_with(kSuffix)) maps.push_back(name.substr(0, name.size() - std::string_view(kSuffix).size()));
  }
  std::ranges::sort(maps);
  return maps;
}

// Nothing: it was made, or never can be.
std::optional<OwedManifest> still_owed(const std::string& map) {
  auto owed = read_owed(map);
  const bool open = owed && fs::exists(path_from(map)) && manifest_run_id(owed->path) != owed->facts.run_id;
  return open ? owed : std::nullopt;
}

// Of a run that is gone: its folder may have got another manifest since, or may be gone itself.
void make_late(const std::string& map_path, const OwedManifest& owed, bool maps_hold) {
  if (!maps_hold) {
    throw Error(ErrorKind::failed,
                "the machine was started anew since, so what was acknowledged last is not known; for a test of power "
                "loss drive the disk from another machine");
  }
  const fs::path path = path_from(owed.path);
  if (fs::exists(path)) {
    throw Error(
        ErrorKind::failed,
        fmt::format("{} is there; move it away, or remove {} to give up this one",
                    manifest_run_id(owed.path).empty() ? "something else" : "a manifest of another run", map_path));
  }
  fs::create_directories(path.parent_path());
  make_manifest(map_path, owed);
}

}  // namespace

void owe_manifest(const std::string& map_path, const OwedManifest& owed) {
  Json json{
      {"manifest", owed.path}, {"run_id", owed.facts.run_id}, {"disk", owed.facts.disk}, {"phase", owed.facts.phase}};
  json["paths"] = Json::array();
  for (const ManifestFacts::File& file : owed.facts.files) json["paths"].push_back(file.path);
  AtomicFile(owed_path(map_path)).replace(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void forgive_manifest(const std::string& map_path) noexcept {
  std::error_code none;
  fs::remove(owed_path(map_path), none);
}

bool make_owed_manifest(const std::string& map_path) {
  const auto owed = read_owed(map_path);
  std::error_code none;
  if (!owed || !fs::exists(path_from(map_path), none)) return false;
  const std::string other = manifest_run_id(owed->path);
  if (!other.empty() && other != owed->facts.run_id) {
    throw Error(ErrorKind::failed, fmt::format("making the manifest {}: that of run {} came to its place meanwhile; "
                                               "give each of them an --out of its own",
                                               owed->path, other));
  }
  make_manifest(map_path, *owed);
  return true;
}

std::vector<std::string> owed_manifests(const std::string& folder) {
  std::vector<std::string> paths;
  for (const std::string& map : maps_in(folder)) {
    try {
      if (const auto owed = still_owed(map)) paths.push_back(owed->path);
    } catch (const Error&) {
      // Cleanup says what is wrong with it.
    }
  }
  return paths;
}

std::vector<SettledManifest> settle_manifests(const std::string& folder, bool maps_hold) {
  std::vector<SettledManifest> settled;
  for (const std::string& map : maps_in(folder)) {
    SettledManifest one{.path = map, .fault = {}};
    try {
      const auto owed = still_owed(map);
      if (!owed) continue;
      one.path = owed->path;
      make_late(map, *owed, maps_hold);
    } catch (const std::exception& fault) {
      one.fault = fault.what();
    }
    settled.push_back(std::move(one));
  }
  return settled;
}

}  // namespace diskproof
