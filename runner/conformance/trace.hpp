// Tells the parent which call of the engine begins, so that a crash or a hang has a name. Any thread.
#pragma once

#include <mutex>
#include <string_view>

namespace diskproof {

class ChildChannel;

class Trace {
 public:
  explicit Trace(ChildChannel& channel) : channel_(channel) {}
  // `name` lives for ever. The same call again costs nothing.
  void enter(const char* name);

 private:
  ChildChannel& channel_;
  std::mutex mutex_;
  std::string_view last_;
};

}  // namespace diskproof
