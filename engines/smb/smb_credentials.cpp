#include "smb_credentials.hpp"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include <diskproof/engine_services.hpp>

namespace smb {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Whether the line was understood.
bool take_line(Credentials& credentials, std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (trimmed(line).empty() || trimmed(line).front() == '#') return true;
  const std::size_t at = line.find('=');
  if (at == std::string_view::npos) return false;
  const std::string_view name = trimmed(line.substr(0, at)), value = line.substr(at + 1);
  if (name == "username") {
    credentials.user = trimmed(value);
  } else if (name == "domain") {
    credentials.domain = trimmed(value);
  } else if (name == "password") {
    credentials.password = value;  // blanks may be a part of it
    credentials.has_password = true;
  } else {
    return false;
  }
  return true;
}

}  // namespace

Credentials credentials_from_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) dp::throw_errno(errno, "reading credentials_file " + path);
  Credentials credentials;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (!take_line(credentials, line))
      throw dp::EngineError(DP_EINVAL, "credentials_file " + path + ", line " + std::to_string(number) +
                                           ": expected username=, password= or domain=");
  }
  if (file.bad()) dp::throw_errno(errno, "reading credentials_file " + path);
  return credentials;
}

Credentials credentials_from_environment(const std::string& variable) {
  const char* value = std::getenv(variable.c_str());
  if (value == nullptr || *value == '\0')
    throw dp::EngineError(DP_EAUTH, "password_env: the environment variable " + variable + " is not set");
  Credentials credentials;
  credentials.password = value;
  credentials.has_password = true;
  return credentials;
}

}  // namespace smb
