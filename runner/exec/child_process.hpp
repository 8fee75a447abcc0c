// The parent's end of a child: spawn, frames both ways, what it printed, how it ended, and killing it in bounded time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exec/protocol.hpp"

namespace diskproof {

// How soon a parent that waits for a child sees anything else.
inline constexpr std::chrono::milliseconds kChildPoll{100};

inline std::chrono::milliseconds in_ms(std::uint64_t ns) { return std::chrono::milliseconds(ns / 1'000'000); }

struct ChildExit {
  bool signalled = false;
  int code = 0;  // exit code, or the signal's number

  [[nodiscard]] std::string text() const;  // "was ended by signal 9 (Killed)", "ended with exit code 7"
};

class ChildProcess {
 public:
  static constexpr std::size_t kLogCapacity = 64 * 1024;

  // The child finds the i-th of the descriptors that it inherits as this number.
  static int inherited_as(std::size_t i);

  // Starts `executable role` in a process group of its own; it inherits nothing else than these descriptors and its
  // pipes. Throws Error{failed}.
  explicit ChildProcess(const std::string& executable, const std::string& role = "--phase-child",
                        const std::vector<int>& inherited = {});
  // Kills the child if it is still there.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // False when the child no longer listens, or has not taken it within `patience`.
  bool send(FrameType type, std::string_view payload, std::chrono::milliseconds patience);
  // Tells the child that nothing more will come.
  void close_control();

  struct Received {
    enum class What { frame, nothing_yet, closed } what = What::nothing_yet;
    Frame frame;
  };
  // Waits for the next frame, at most `patience` whatever else the child prints; collects its output meanwhile. Throws
  // Error{failed} on bytes that are no frame.
  Received receive(std::chrono::milliseconds patience);

  // Waits for the end, at most `patience`; collects the child's output meanwhile.
  std::optional<ChildExit> wait(std::chrono::milliseconds patience);
  // Kills the child and what it has started in its process group.
  void kill() noexcept;
  [[nodiscard]] std::int64_t process_id() const noexcept;
  // How many processes it had started and left behind; known, and they have been ended, once wait() has seen its end.
  [[nodiscard]] std::size_t strays() const noexcept { return strays_; }

  // The last kLogCapacity bytes of its output.
  [[nodiscard]] std::string log_tail() const;

 private:
  struct Handles;
  bool read_frames();
  void collect_output();

  std::unique_ptr<Handles> handles_;
  FrameReader reader_;
  std::string log_;
  std::optional<ChildExit> exit_;
  std::size_t strays_ = 0;
};

}  // namespace diskproof
