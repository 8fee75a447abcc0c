// Who asks the server, and by which password: from a file or from the environment, never from a job or a command line.
#pragma once

#include <string>

namespace smb {

struct Credentials {
  std::string domain, user;  // empty: not named
  std::string password;
  bool has_password = false;
};

// Of a file with lines `username=`, `password=` and `domain=`, as mount.cifs reads them; # begins a comment. Throws
// dp::EngineError that names the file and the line, and never repeats the line.
Credentials credentials_from_file(const std::string& path);

// The password in an environment variable. Throws dp::EngineError{DP_EAUTH} when it is not set, or empty.
Credentials credentials_from_environment(const std::string& variable);

}  // namespace smb
