// Reading and writing of layout markers.
#include "target/marker.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/error.hpp"

namespace diskproof {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMarkerFormat = 2;
constexpr std::uint64_t kMaxMarkerBytes = std::uint64_t{1} << 20;

[[noreturn]] void reject(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::refused, "the layout marker " + path + " cannot be trusted: " + why +
                                      "; move it away if it is not needed there, or use another path");
}

std::uint64_t number(const Json& json, const char* name, const std::string& path) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_number_unsigned()) reject(path, std::string(name) + " is not a whole number");
  return found->get<std::uint64_t>();
}

}  // namespace

bool Marker::covers(std::uint64_t bytes) const {
  std::uint64_t reached = 0;
  for (const auto& [from, to] : written) {
    if (from > reached) break;
    reached = std::max(reached, to);
  }
  return reached >= bytes;
}

bool Marker::names(const FileIdentity& identity) const { return device == identity.device && inode == identity.inode; }

std::string marker_path(const std::string& file) { return file + ".diskproof"; }

std::string marker_to_text(const Marker& marker) {
  Json extents = Json::array();
  for (const auto& [from, to] : marker.written) extents.push_back(Json::array({from, to}));
  const Json json{{"diskproof_marker", kMarkerFormat}, {"device", marker.device},      {"inode", marker.inode},
                  {"modified", marker.modified},       {"size", marker.size},          {"seed", marker.seed},
                  {"generation", marker.generation},   {"written", std::move(extents)}};
  return json.dump() + "\n";
}

Marker marker_from_text(std::string_view text, const std::string& path) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) reject(path, "it is not a JSON object");
  if (number(json, "diskproof_marker", path) != kMarkerFormat) reject(path, "it is of another format version");
  if (json.size() != 8) reject(path, "it has fields that a marker has not");
  Marker marker;
  marker.device = number(json, "device", path);
  marker.inode = number(json, "inode", path);
  marker.modified = number(json, "modified", path);
  marker.size = number(json, "size", path);
  marker.seed = number(json, "seed", path);
  marker.generation = number(json, "generation", path);
  const auto written = json.find("written");
  if (written == json.end() || !written->is_array()) reject(path, "written is not an array");
  std::uint64_t end = 0;
  for (const Json& extent : *written) {
    if (!extent.is_array() || extent.size() != 2 || !extent[0].is_number_unsigned() ||
        !extent[1].is_number_unsigned()) {
      reject(path, "written holds something that is not [from, to]");
    }
    const auto from = extent[0].get<std::uint64_t>();
    const auto to = extent[1].get<std::uint64_t>();
    if (from < end || to <= from || to > marker.size) reject(path, "its written extents do not fit its size");
    end = to;
    marker.written.emplace_back(from, to);
  }
  return marker;
}

std::optional<Marker> load_marker(const std::string& file) {
  const std::string path = marker_path(file);
  std::optional<std::string> text;
  try {
    text = read_small_file(path, kMaxMarkerBytes);
  } catch (const Error& error) {
    reject(path, error.what());
  }
  if (!text) return std::nullopt;
  return marker_from_text(*text, path);
}

}  // namespace diskproof
