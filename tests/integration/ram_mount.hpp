// A file system in memory, mounted for one test and seen by no other process than the test and its children.
#pragma once

#include <string>

namespace diskproof::testing {

class RamMount {
 public:
  RamMount(const std::string& type, const std::string& folder);  // creates the folder
  ~RamMount();
  RamMount(const RamMount&) = delete;
  RamMount& operator=(const RamMount&) = delete;

  [[nodiscard]] const std::string& fault() const noexcept { return fault_; }  // why there is none; empty: it is there

 private:
  std::string folder_, fault_;
};

}  // namespace diskproof::testing
