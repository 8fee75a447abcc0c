// The services that a child gives to engines: log to stderr (the parent collects it), the system's clock, the run's
// state folder.
#pragma once

#include <string>

#include <diskproof/engine_abi.h>

#include "support/clock.hpp"

namespace diskproof {

class ChildHost {
 public:
  ChildHost(std::string state_dir, const TickClock& clock);
  ChildHost(const ChildHost&) = delete;
  ChildHost& operator=(const ChildHost&) = delete;

  // Valid as long as this object.
  [[nodiscard]] const dp_host& table() const noexcept { return table_; }

 private:
  std::string state_dir_;
  TickClock clock_;
  dp_host table_{};
};

}  // namespace diskproof
