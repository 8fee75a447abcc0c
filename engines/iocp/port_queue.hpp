// The books of a queue on a completion port: which I/O was refused, which ended inside its call, which comes as a
// packet. Knows nothing of Windows: what it asks of a port is in `Port`, so that every way in which a call can end is
// tested without one.
//
//     struct Port {
//       StartResult start(const dp_io&) noexcept;          // begins it; the queue has seen to tag and target
//       bool skips_port(std::uint32_t target) const noexcept;  // a call that worked at once sends no packet
//       std::uint32_t get(std::span<Packet>, std::uint32_t& count, std::uint32_t ms) noexcept;
//                                                          // kWorked: count packets; kTimeout: none, whatever count
//                                                          says
//       void cancel(std::uint32_t tag) noexcept;
//       static dp_code code(std::uint32_t error) noexcept;
//     };
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <diskproof/engine_services.hpp>

namespace dp {

// Numbers of Windows (winerror.h).
inline constexpr std::uint32_t kWorked = 0;
inline constexpr std::uint32_t kEndOfFile = 38;
inline constexpr std::uint32_t kInvalidParameter = 87;
inline constexpr std::uint32_t kTimeout = 258;
inline constexpr std::uint32_t kIoPending = 997;

struct StartResult {
  std::uint32_t error = kWorked;  // kIoPending: its packet comes; any other error: no packet does
  std::uint32_t moved = 0;        // bytes, when it worked
};

struct Packet {
  std::uint32_t tag = 0;
  std::uint32_t error = kWorked;
  std::uint32_t moved = 0;  // bytes
};

template <class Port>
class PortQueue {
 public:
  PortQueue(Host host, Port& port, std::uint32_t depth, std::uint32_t targets)
      : host_(host), port_(port), depth_(depth), targets_(targets), packets_(depth) {
    ready_.reserve(depth);
  }

  std::int32_t submit(std::span<const dp_io> ios) noexcept {
    const std::size_t room = depth_ - awaited_ - ready_.size();
    const std::span taken = ios.first(std::min(ios.size(), room));
    for (const dp_io& io : taken) start(io);
    return static_cast<std::int32_t>(taken.size());
  }

  std::int32_t reap(std::span<dp_done> done, std::uint32_t min, std::uint64_t timeout_ns) noexcept {
    std::size_t count = take_ready(done);
    const std::size_t wanted = std::min<std::size_t>(min, done.size());
    std::uint32_t error = kWorked;
    if (count >= wanted) {
      if (count < done.size() && awaited_ > 0) count += take_packets(done.subspan(count), 0, error);
    } else if (awaited_ > 0) {
      count += wait(done.subspan(count), wanted - count, timeout_ns, error);
    } else if (count == 0) {
      host_.wait_until(host_.after(host_.now(), timeout_ns));
    }
    if (error != kWorked && count == 0) return -Port::code(error);
    return static_cast<std::int32_t>(count);
  }

  std::int32_t cancel(std::uint32_t tag) noexcept {
    if (tag < depth_) port_.cancel(tag);
    return 0;
  }

 private:
  void start(const dp_io& io) noexcept {
    if (io.target >= targets_ || io.tag >= depth_) return finish(io.tag, kInvalidParameter, 0);
    const StartResult result = port_.start(io);
    const bool sends_packet = result.error == kIoPending || (result.error == kWorked && !port_.skips_port(io.target));
    if (sends_packet) {
      ++awaited_;
    } else {
      finish(io.tag, result.error, result.moved);
    }
  }

  // Ended inside its call; the next reap hands it over with the time of now.
  void finish(std::uint32_t tag, std::uint32_t error, std::uint32_t moved) noexcept {
    ready_.push_back(completion({tag, error, moved}, host_.now()));
  }

  static dp_done completion(const Packet& packet, std::uint64_t ticks) noexcept {
    if (packet.error == kWorked) return {ticks, packet.moved, packet.tag, 0};
    if (packet.error == kEndOfFile) return {ticks, 0, packet.tag, 0};  // nothing was there to read
    return {ticks, -std::int64_t{Port::code(packet.error)}, packet.tag, packet.error};
  }

  std::size_t take_ready(std::span<dp_done> done) noexcept {
    const std::size_t count = std::min(done.size(), ready_.size());
    std::copy_n(ready_.begin(), count, done.begin());
    ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
  }

  std::size_t take_packets(std::span<dp_done> done, std::uint32_t ms, std::uint32_t& error) noexcept {
    const std::span packets = std::span(packets_).first(std::min(done.size(), packets_.size()));
    std::uint32_t count = 0;
    const std::uint32_t status = port_.get(packets, count, ms);
    if (status == kTimeout) return 0;
    error = status;
    if (status != kWorked) return 0;
    for (std::size_t i = 0; i < count; ++i) done[i] = completion(packets[i], 0);
    awaited_ -= count;
    return count;
  }

  // The port waits in whole milliseconds: what is left below one is the caller's.
  std::size_t wait(std::span<dp_done> done, std::size_t wanted, std::uint64_t timeout_ns,
                   std::uint32_t& error) noexcept {
    constexpr std::uint64_t kLongest = 1'000'000;  // ms
    const std::uint64_t per_ms = std::max<std::uint64_t>(host_.ticks_per_second() / 1000, 1);
    const std::uint64_t end = host_.after(host_.now(), timeout_ns);
    std::size_t count = 0;
    while (count < wanted && awaited_ > 0) {
      const std::uint64_t now = host_.now();
      const std::uint64_t left = end > now ? end - now : 0;
      const std::size_t more =
          take_packets(done.subspan(count), static_cast<std::uint32_t>(std::min(left / per_ms, kLongest)), error);
      if (more == 0) break;
      count += more;
    }
    return count;
  }

  Host host_;
  Port& port_;
  std::uint32_t depth_;
  std::uint32_t targets_;
  std::vector<Packet> packets_;  // of one get
  std::vector<dp_done> ready_;   // ended inside submit, not handed over yet
  std::uint32_t awaited_ = 0;    // packets that will come
};

}  // namespace dp
