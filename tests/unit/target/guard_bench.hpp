// What the guard says.
#pragma once

#include <doctest/doctest.h>
#include <string>

#include "disk_samples.hpp"
#include "support/error.hpp"
#include "target/guard.hpp"

namespace diskproof {

// The text of the refusal; empty when there is none.
template <class Action>
std::string refusal(Action action) {
  try {
    action();
    return "";
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::refused);
    return error.what();
  }
}

inline std::string refusal_of(const DiskPlan& disk) {
  return refusal([&] { guard_disk(disk, "job"); });
}

}  // namespace diskproof
