// The frames between a parent and a phase's child: {u32 type, u32 length, payload}, little-endian, over two pipes.
// Payloads are JSON text. Down: probe, rule, plan or place, then go, stop, or orders. Up: hello, then call and
// engine_info, or call and ready, or call and verdict, or ready, interval, tick, stuck, result, error, or ready,
// answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace diskproof {

enum class FrameType : std::uint32_t {
  // down
  probe = 1,  // {"library": path, "trial": what to create, where it is not only described}
  plan = 2,   // {"phase": index, "state_dir": path, "plan": …}
  go = 3,     // {"start": monotonic ns}
  stop = 4,   // {}; the second one: cancel what is in flight
  rule = 5,   // one rule of the engine contract to check: RuleOrder
  place = 6,  // a URL to reach: UrlPlace
  order = 7,  // something to do below it: UrlOrder
  // up
  hello = 16,        // {"build": id}
  engine_info = 17,  // EngineInfo
  ready = 18,        // {}; also: the trial went well
  interval = 19,     // one finished row of the window
  tick = 20,         // progress, 4/s
  stuck = 22,        // {"worker", "tag", "offset", "age"}
  result = 23,       // RunData
  error = 24,        // {"kind", "text"}
  call = 25,         // {"name"}: the call of the engine that begins now, in a probe or while a rule is checked
  verdict = 26,      // {"outcome", "note"}: of the rule
  answer = 27,       // UrlAnswer to an order
};

struct Frame {
  FrameType type{};
  std::string payload;
};

inline constexpr std::size_t kFrameHeader = 8;
inline constexpr std::size_t kMaxFramePayload = std::size_t{256} << 20;

// Identifies the build, so that a parent never talks to a child of another one.
std::string build_id();

std::string encode_frame(FrameType type, std::string_view payload);

// Cuts frames out of a byte stream that arrives in arbitrary pieces.
class FrameReader {
 public:
  void feed(std::string_view bytes) { buffer_.append(bytes); }
  // The next whole frame, if it is there. Throws Error{failed} on a length beyond kMaxFramePayload.
  std::optional<Frame> next();

 private:
  std::string buffer_;
  std::size_t begin_ = 0;
};

}  // namespace diskproof
