// Strict: what would not be obeyed is an error.
#include "smb_url.hpp"

#include <charconv>

#include <diskproof/engine_services.hpp>

namespace smb {
namespace {

constexpr std::string_view kScheme = "smb://";

[[noreturn]] void refuse(const std::string& why) {
  throw dp::EngineError(DP_EINVAL, why + "; expected smb://[[DOMAIN;]USER@]SERVER[:PORT]/SHARE[/PATH]");
}

std::string_view without_slashes(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

void set_user(Url& url, std::string_view user) {
  if (user.find(':') != std::string_view::npos)
    refuse("the URL holds a password: put it into a file or an environment variable (credentials_file, password_env)");
  if (const std::size_t at = user.find(';'); at != std::string_view::npos) {
    url.domain = user.substr(0, at);
    user.remove_prefix(at + 1);
  }
  if (user.empty()) refuse("the URL has no user before the @");
  url.user = user;
}

void set_server(Url& url, std::string_view server) {
  const std::size_t colon = server.rfind(':');
  if (server.find(':') != colon) refuse("the server of the URL has several colons; an IPv6 address needs a name");
  if (colon != std::string_view::npos) {
    const std::string_view port = server.substr(colon + 1);
    const auto [end, failure] = std::from_chars(port.data(), port.data() + port.size(), url.port);
    if (failure != std::errc{} || end != port.data() + port.size() || url.port == 0 || url.port > 65'535)
      refuse("the port of the URL is '" + std::string(port) + "', not a number from 1 to 65535");
    server = server.substr(0, colon);
  }
  if (server.empty()) refuse("the URL names no server");
  url.server = server;
}

}  // namespace

bool Url::same_place(const Url& other) const {
  return domain == other.domain && user == other.user && server == other.server && share == other.share &&
         path == other.path && port == other.port;
}

Url parse_url(std::string_view text) {
  if (!text.starts_with(kScheme)) refuse("the target is no SMB URL");
  text.remove_prefix(kScheme.size());
  Url url;
  if (const std::size_t at = text.find('#'); at != std::string_view::npos) {
    url.inner = without_slashes(text.substr(at + 1));
    text = text.substr(0, at);
  }
  const std::size_t slash = text.find('/');
  std::string_view authority = text.substr(0, slash);
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    set_user(url, authority.substr(0, at));
    authority.remove_prefix(at + 1);
  }
  set_server(url, authority);
  const std::string_view place = slash == std::string_view::npos ? "" : without_slashes(text.substr(slash));
  if (place.empty()) refuse("the URL names no share");
  if (place.find('?') != std::string_view::npos) refuse("the URL has arguments after a ?, and there are none");
  const std::size_t end = place.find('/');
  url.share = place.substr(0, end);
  if (end != std::string_view::npos) url.path = without_slashes(place.substr(end));
  return url;
}

}  // namespace smb
