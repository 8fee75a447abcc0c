// The one exception of cold code: what was tried, on what, why it failed and what to do, with the kind that decides
// the exit code. Hot code (exec/worker) never throws; configuration faults are collected as job/diagnostic instead.
#pragma once

#include <stdexcept>
#include <string>

namespace diskproof {

enum class ErrorKind {
  bad_job,      // wrong on every machine: exit 3
  refused,      // refused for safety: exit 4
  unavailable,  // not possible on this machine (engine, memory, a right): exit 2
  failed,       // tried and failed (I/O, child, preparation): exit 2
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& text) : std::runtime_error(text), kind_(kind) {}
  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace diskproof
