// An SMB server in a network that only this process and what it starts can reach: Samba's smbd for as long as this
// object lives. The first one takes the process into that network for good.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "integration/program.hpp"
#include "support/temp_folder.hpp"

namespace diskproof::testing {

class SmbServer {
 public:
  // The only user is root; the environment variable that kPasswordVariable names holds the password.
  static constexpr const char* kPasswordVariable = "DISKPROOF_BED_PASSWORD";
  static constexpr const char* kPassword = "secret-of-the-bed";

  SmbServer();
  ~SmbServer();
  SmbServer(const SmbServer&) = delete;
  SmbServer& operator=(const SmbServer&) = delete;

  // Why there is none on this machine; empty: it answers.
  [[nodiscard]] const std::string& fault() const noexcept { return fault_; }

  // Shares: disk (a folder), full (a folder of 8 MiB), fixed (may be read only), barred (for another user).
  [[nodiscard]] static std::string url(const std::string& name, const std::string& user = "root");
  // What the share `disk` or `full` shows, from below.
  [[nodiscard]] std::string folder(const std::string& name) const { return folder_.path(name); }
  // To the server and the processes that it has for its connections.
  void signal(int number) const;

 private:
  void write_settings() const;
  [[nodiscard]] bool set_password() const;
  [[nodiscard]] std::unique_ptr<Program> start(std::vector<std::string> arguments) const;

  TempFolder folder_;
  std::unique_ptr<Program> server_;
  std::string fault_;
};

}  // namespace diskproof::testing
