// Strict: an argument that nobody knows would be one that nobody obeys.
#include "nfs_url.hpp"

#include <charconv>

#include <diskproof/engine_services.hpp>

namespace nfs {
namespace {

constexpr std::string_view kScheme = "nfs://";

[[noreturn]] void refuse(const std::string& why) {
  throw dp::EngineError(DP_EINVAL,
                        why + "; expected nfs://SERVER[:PORT]/PATH[?version=3&nfsport=N&mountport=N&uid=N&gid=N]");
}

// Takes what is before the separator off the text; all of it when there is none.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view head = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return head;
}

std::uint32_t number(std::string_view name, std::string_view text, std::uint32_t most) {
  std::uint32_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || value > most)
    refuse("the " + std::string(name) + " of the URL is '" + std::string(text) + "', not a number up to " +
           std::to_string(most));
  return value;
}

void set_argument(Url& url, std::string_view argument) {
  std::string_view value = argument;
  const std::string_view name = take_until(value, '=');
  constexpr std::uint32_t kPort = 65'535, kId = 0xFFFFFFFE;
  if (name == "version") {
    url.version = number(name, value, 4);
    if (url.version < 3) refuse("the version of the URL is " + std::string(value) + ", and there are 3 and 4");
  } else if (name == "nfsport") {
    url.port = number(name, value, kPort);
  } else if (name == "mountport") {
    url.mount_port = number(name, value, kPort);
  } else if (name == "uid") {
    url.uid = number(name, value, kId);
  } else if (name == "gid") {
    url.gid = number(name, value, kId);
  } else {
    refuse("the URL has the argument '" + std::string(name) + "', which this engine does not know");
  }
}

void set_authority(Url& url, std::string_view authority) {
  if (authority.find('@') != std::string_view::npos)
    refuse("the URL names a user; NFS knows users by number (uid=N), and takes no password");
  const std::size_t bracket = authority.rfind(']');  // [IPv6]
  const std::size_t colon = authority.rfind(':');
  const bool has_port = colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  if (has_port) url.port = number("port", authority.substr(colon + 1), 65'535);
  url.server = authority.substr(0, has_port ? colon : std::string_view::npos);
  if (url.server.empty()) refuse("the URL names no server");
}

std::string_view without_slashes_at_the_end(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path;
}

}  // namespace

bool Url::same_share(const Url& other) const {
  return server == other.server && path == other.path && version == other.version && port == other.port &&
         mount_port == other.mount_port && uid == other.uid && gid == other.gid;
}

Url parse_url(std::string_view text) {
  if (!text.starts_with(kScheme)) refuse("the target is no NFS URL");
  text.remove_prefix(kScheme.size());
  Url url;
  std::string_view inner = text;
  std::string_view arguments = take_until(inner, '#');
  std::string_view place = take_until(arguments, '?');
  const std::size_t slash = place.find('/');
  set_authority(url, place.substr(0, slash));
  if (slash == std::string_view::npos) refuse("the URL names no path");
  url.path = without_slashes_at_the_end(place.substr(slash));
  while (!arguments.empty()) set_argument(url, take_until(arguments, '&'));
  while (inner.starts_with('/')) inner.remove_prefix(1);
  url.inner = without_slashes_at_the_end(inner);
  return url;
}

}  // namespace nfs
