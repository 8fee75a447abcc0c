// An NFS server in a network that only this process and what it starts can reach: nfs-ganesha for as long as this
// object lives. The first one takes the process into that network for good.
#pragma once

#include <memory>
#include <string>

#include "integration/program.hpp"
#include "support/temp_folder.hpp"

namespace diskproof::testing {

class NfsServer {
 public:
  NfsServer();
  ~NfsServer();
  NfsServer(const NfsServer&) = delete;
  NfsServer& operator=(const NfsServer&) = delete;

  // Why there is none on this machine; empty: it answers.
  [[nodiscard]] const std::string& fault() const noexcept { return fault_; }

  // Exports: mem (in memory), slow (the same, 1 ms per request), disk (a folder), full (a folder of 8 MiB), fixed (may
  // be read only).
  [[nodiscard]] static std::string url(const std::string& name, const std::string& more = "", int version = 3);
  // What the export `disk` or `full` shows, from below.
  [[nodiscard]] std::string folder(const std::string& name) const { return folder_.path(name); }
  [[nodiscard]] int pid() const { return server_->pid(); }

 private:
  void write_settings() const;

  TempFolder folder_;
  std::unique_ptr<Program> portmapper_, server_;
  std::string fault_;
};

}  // namespace diskproof::testing
