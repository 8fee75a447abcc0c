// The parent's end of a pipe to a child: overlapped, so that every wait has a limit. One thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/system_windows.hpp"

namespace diskproof {

// Both ends of a new pipe; the child's is a plain, inheritable handle.
struct PipePair {
  Handle parent, child;
};
enum class PipeDirection { to_child, to_parent };
PipePair make_pipe(PipeDirection direction);

// Reads ahead: always one ReadFile under way while the pipe is open.
class PipeReader {
 public:
  explicit PipeReader(Handle pipe);
  ~PipeReader();
  PipeReader(const PipeReader&) = delete;
  PipeReader& operator=(const PipeReader&) = delete;

  // Signalled when take() has something to say.
  [[nodiscard]] HANDLE event() const noexcept { return event_.get(); }
  [[nodiscard]] bool closed() const noexcept { return closed_; }
  // What has arrived; empty when there is nothing yet or the pipe is closed. Never waits.
  std::string_view take();

 private:
  void start();

  Handle pipe_, event_;
  OVERLAPPED overlapped_{};
  std::vector<char> buffer_;
  bool taken_ = false;  // buffer_ was handed out: the next read is to be started
  bool closed_ = false;
};

class PipeWriter {
 public:
  explicit PipeWriter(Handle pipe);
  // False when the other side is gone or did not take it within `patience_ms`.
  bool write(std::string_view bytes, DWORD patience_ms);
  void close() noexcept { pipe_.reset(); }

 private:
  Handle pipe_, event_;
};

}  // namespace diskproof
