// A child that is started before anybody needs it: its program loads while the runner reads the job, writes reports or
// flushes a journal, so that neither a run's first I/O nor the next phase waits for a process to start.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "exec/child_process.hpp"
#include "exec/phase_runner.hpp"

namespace diskproof {

// Used by one thread. Without prepare() it has none to give.
class SpareChild {
 public:
  explicit SpareChild(std::string executable) : executable_(std::move(executable)) {}

  // Starts one, unless one waits already. What goes wrong is not told here: it goes wrong again, with its reason, where
  // the child is needed.
  void prepare() noexcept;

  // The one that waits, if it still lives; else null.
  std::unique_ptr<ChildProcess> take() noexcept;

 private:
  const std::string executable_;
  std::unique_ptr<ChildProcess> waiting_;  // ended by the destructor when nobody took it
};

// The spare, or a child started now: a spare inherits no descriptors. Throws Error{failed}.
std::unique_ptr<ChildProcess> start_child(const ChildSettings& settings, const std::vector<int>& inherited = {});

}  // namespace diskproof
