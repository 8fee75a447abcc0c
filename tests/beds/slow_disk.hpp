// A folder on a disk with a promised limit: tests/beds/slow_file.cpp as a mount that lives as long as this object.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "integration/program.hpp"
#include "support/temp_folder.hpp"

namespace diskproof::testing {

class SlowDisk {
 public:
  using Settings = std::map<std::string, std::int64_t>;  // as slow_file.cpp lists them

  explicit SlowDisk(Settings settings = {});
  ~SlowDisk();
  SlowDisk(const SlowDisk&) = delete;
  SlowDisk& operator=(const SlowDisk&) = delete;

  // Why there is none on this machine; empty: it is there.
  [[nodiscard]] const std::string& fault() const noexcept { return fault_; }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.path("mount/" + name); }
  // Holds when it returns.
  void set(const std::string& name, std::int64_t value);
  // As if it was pulled out: everything on it fails from now on.
  void vanish();

 private:
  void write_settings() const;

  TempFolder folder_;  // store/, mount/, control
  Settings settings_;
  std::unique_ptr<Program> program_;
  std::string fault_;
};

}  // namespace diskproof::testing
