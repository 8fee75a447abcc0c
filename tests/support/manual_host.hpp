// Host services on a clock that tests move: everything that waits through it takes no wall time.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <diskproof/engine_abi.h>

namespace diskproof::testing {

// A host whose clock stands still until somebody waits for it. Ticks are nanoseconds unless said otherwise.
class ManualHost {
 public:
  explicit ManualHost(std::uint64_t ticks_per_second = 1'000'000'000) {
    host_.size = sizeof(host_);
    host_.context = this;
    host_.log = [](void*, std::int32_t, const char*) {};
    host_.now = [](void* self) { return static_cast<ManualHost*>(self)->now_; };
    host_.wait_until = [](void* self, std::uint64_t ticks) {
      auto& host = *static_cast<ManualHost*>(self);
      ++host.waits_;
      if (ticks > host.now_) host.now_ = ticks;
    };
    host_.ticks_per_second = ticks_per_second;
  }
  ManualHost(const ManualHost&) = delete;
  ManualHost& operator=(const ManualHost&) = delete;

  [[nodiscard]] const dp_host& table() const { return host_; }
  [[nodiscard]] std::uint64_t now() const { return now_; }
  [[nodiscard]] int waits() const { return waits_; }
  void set(std::uint64_t ticks) { now_ = ticks; }
  // What an engine keeps goes there; without it, nowhere.
  void keep_in(std::string folder) {
    state_dir_ = std::move(folder);
    host_.state_dir = state_dir_.c_str();
  }

 private:
  dp_host host_{};
  std::uint64_t now_ = 0;
  int waits_ = 0;
  std::string state_dir_;
};

}  // namespace diskproof::testing
