// One frame per change of call.
#include "conformance/trace.hpp"

#include "exec/child_channel.hpp"
#include "exec/messages.hpp"

namespace diskproof {

void Trace::enter(const char* name) {
  const std::scoped_lock lock(mutex_);
  if (last_ == name) return;
  last_ = name;
  channel_.write(FrameType::call, call_text(name));
}

}  // namespace diskproof
