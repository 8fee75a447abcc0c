// The child's end of the two inherited pipes. Reading blocks, on a thread of its own; writing is done by one thread.
#pragma once

#include <optional>
#include <string_view>

#include "exec/protocol.hpp"

namespace diskproof {

class ChildChannel {
 public:
  // Takes the inherited pipes; detaches the process from the parent's signals and ties its life to the parent's.
  ChildChannel();

  // The next frame; nothing when the parent closed its end or died.
  std::optional<Frame> read();
  // False when the parent is gone.
  bool write(FrameType type, std::string_view payload);

 private:
  FrameReader reader_;
};

// Ends the process at once: no destructor, no buffer reused, no descriptor closed while I/O may still use it.
[[noreturn]] void leave_now(int exit_code) noexcept;

}  // namespace diskproof
