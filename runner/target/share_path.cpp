// Shares of Windows, told by how a path begins.
#include "target/network_client.hpp"

namespace diskproof {

std::string share_of_path(std::string_view path) {
  constexpr std::string_view kLong = "\\\\?\\UNC\\", kSlashes = "\\/";
  const auto is_slash = [](char c) { return c == '\\' || c == '/'; };
  if (path.starts_with(kLong)) {
    path.remove_prefix(kLong.size());
  } else {
    const bool named = path.size() > 3 && is_slash(path[0]) && is_slash(path[1]);
    const bool device = named && (path[2] == '.' || path[2] == '?') && is_slash(path[3]);
    if (!named || device) return "";
    path.remove_prefix(2);
  }
  const std::size_t server = path.find_first_of(kSlashes);
  if (server == 0 || server == std::string_view::npos) return "";
  const std::size_t end = path.find_first_of(kSlashes, server + 1);
  const std::string_view share = path.substr(server + 1, end == std::string_view::npos ? end : end - server - 1);
  return share.empty() ? "" : "\\\\" + std::string(path.substr(0, server)) + "\\" + std::string(share);
}

}  // namespace diskproof
