// A loop device over an image of its own, for as long as this object lives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/temp_folder.hpp"

namespace diskproof::testing {

// What a program said on stdout and stderr, and its exit code. Found in PATH.
struct ToolRun {
  int code = 0;
  std::string text;
};
ToolRun run_tool(const std::vector<std::string>& arguments);

class LoopDisk {
 public:
  explicit LoopDisk(std::uint64_t size, bool read_only = false);
  ~LoopDisk();
  LoopDisk(const LoopDisk&) = delete;
  LoopDisk& operator=(const LoopDisk&) = delete;

  // Why there is none on this machine; empty: it is there.
  [[nodiscard]] const std::string& fault() const noexcept { return fault_; }
  [[nodiscard]] const std::string& device() const noexcept { return device_; }  // "/dev/loop8"
  [[nodiscard]] std::string name() const { return device_.substr(5); }
  [[nodiscard]] std::string image() const { return folder_.path("image"); }
  [[nodiscard]] const TempFolder& folder() const noexcept { return folder_; }
  // The same device number with another image behind it.
  void attach_anew(const std::string& image);
  void detach();

 private:
  TempFolder folder_;
  std::string device_, fault_;
};

}  // namespace diskproof::testing
