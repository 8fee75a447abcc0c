// The little that the runner itself reads of a URL: the rest is the engine's.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace diskproof {

// "nfs" of nfs://server/path; empty: it is no URL.
inline std::string_view url_scheme(std::string_view text) {
  const std::string_view scheme = text.substr(0, text.find("://"));
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return scheme.size() < text.size() && std::all_of(scheme.begin(), scheme.end(), plain) ? scheme : std::string_view();
}

// scheme://user:password@server/…
inline bool holds_password(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return false;
  url.remove_prefix(scheme + 3);
  const std::string_view authority = url.substr(0, url.find_first_of("/?#"));
  const std::size_t user = authority.rfind('@');
  return user != std::string_view::npos && authority.find(':') < user;
}

// What is below a URL: a number sign stands before it, and the URL stays as the job wrote it. Empty path: the URL
// itself.
inline std::string url_of(const std::string& url, const std::string& path) {
  return path.empty() ? url : url + "#" + path;
}

// The path of what `url_of` made of the same URL.
inline std::string path_below(const std::string& url, const std::string& spec) {
  return spec.size() > url.size() ? spec.substr(url.size() + 1) : "";
}

}  // namespace diskproof
