// Names of the kernel's clients and of FUSE ones.
#include "support/secrets.hpp"

#include <algorithm>
#include <array>

namespace diskproof {
namespace {

// A list inside a source begins behind a colon: ":sftp,pass=x"
std::string_view name_of_option(std::string_view option) {
  const std::string_view key = option.substr(0, option.find('='));
  return key.substr(key.find_last_of(" :") + 1);
}

bool is_secret(std::string_view name) {
  constexpr std::array<std::string_view, 6> kSecret{"pw",         "secret",     "token",
                                                    "secret_key", "access_key", "secret_access_key"};
  const bool password = name.starts_with("pass") && name.find("file") == std::string_view::npos;
  return password || std::ranges::find(kSecret, name) != kSecret.end();
}

bool is_user(std::string_view name) { return name == "user" || name == "username"; }

std::string mask_option(std::string_view option) {
  if (!holds_secret(option)) return std::string(option);
  const std::size_t keep = is_user(name_of_option(option)) ? option.find('%') : option.find('=');
  return std::string(option.substr(0, keep + 1)) + "***";
}

// scheme://user:password@server
std::string mask_authority(std::string text) {
  const std::size_t scheme = text.find("://");
  if (scheme == std::string::npos) return text;
  const std::size_t begin = scheme + 3, end = std::min(text.find_first_of("/?#", begin), text.size());
  const std::size_t at = text.rfind('@', end), colon = text.find(':', begin);
  if (at == std::string::npos || at < begin || colon >= at) return text;
  return text.replace(colon + 1, at - colon - 1, "***");
}

}  // namespace

bool holds_secret(std::string_view option) {
  const std::size_t equals = option.find('=');
  if (equals == std::string_view::npos || equals + 1 == option.size()) return false;
  const std::string_view name = name_of_option(option);
  return is_secret(name) || (is_user(name) && option.find('%') != std::string_view::npos);
}

std::string mask_secrets(std::string_view text) {
  std::string masked;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    masked += mask_option(text.substr(0, comma));
    if (comma < text.size()) masked += ',';
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return mask_authority(std::move(masked));
}

}  // namespace diskproof
