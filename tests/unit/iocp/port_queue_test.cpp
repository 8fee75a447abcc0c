// The queue of the engine iocp on a scripted port: every way in which a call of Windows can end, each tag once.
#include "iocp/port_queue.hpp"

#include <deque>
#include <doctest/doctest.h>
#include <map>
#include <vector>

#include "support/manual_host.hpp"

using diskproof::testing::ManualHost;

namespace {

constexpr std::uint32_t kAccessDenied = 5;
constexpr std::uint32_t kInvalidHandle = 6;
constexpr std::uint64_t kMs = 1'000'000;

// Says what it is told to say for each tag, and sends the packets that it is given.
struct ScriptedPort {
  std::map<std::uint32_t, dp::StartResult> results;  // by tag; otherwise pending
  std::deque<dp::Packet> packets;
  std::vector<std::uint32_t> waits;  // ms of every get
  std::vector<std::uint32_t> cancelled;
  bool skips = true;
  std::uint32_t failure = dp::kWorked;  // of get
  std::uint32_t at_once = 64;           // packets of one get
  ManualHost* host = nullptr;           // whose time passes in a get that waits

  dp::StartResult start(const dp_io& io) noexcept {
    const auto found = results.find(io.tag);
    return found == results.end() ? dp::StartResult{dp::kIoPending, 0} : found->second;
  }
  [[nodiscard]] bool skips_port(std::uint32_t) const noexcept { return skips; }
  std::uint32_t get(std::span<dp::Packet> to, std::uint32_t& count, std::uint32_t ms) noexcept {
    waits.push_back(ms);
    count = 1;  // as Windows leaves it after a timeout
    if (failure != dp::kWorked) return failure;
    if (packets.empty()) {
      if (host != nullptr) host->set(host->now() + ms * kMs);
      return dp::kTimeout;
    }
    for (count = 0; count < to.size() && count < at_once && !packets.empty(); ++count) {
      to[count] = packets.front();
      packets.pop_front();
    }
    return dp::kWorked;
  }
  void cancel(std::uint32_t tag) noexcept { cancelled.push_back(tag); }
  static dp_code code(std::uint32_t error) noexcept {
    return error == kAccessDenied ? DP_EACCES : error == dp::kInvalidParameter ? DP_EINVAL : DP_EOTHER;
  }
};

dp_io io_of(std::uint32_t tag, std::uint16_t target = 0) {
  dp_io io{};
  io.tag = tag;
  io.target = target;
  io.length = 4096;
  return io;
}

struct Rig {
  explicit Rig(std::uint32_t depth = 4) : queue(dp::Host(&host.table()), port, depth, 1) { port.host = &host; }

  std::int32_t submit(std::initializer_list<std::uint32_t> tags) {
    std::vector<dp_io> ios;
    for (const std::uint32_t tag : tags) ios.push_back(io_of(tag));
    return queue.submit(ios);
  }
  std::vector<dp_done> reap(std::uint32_t max, std::uint32_t min, std::uint64_t timeout_ns = 0) {
    std::vector<dp_done> done(max);
    const std::int32_t count = queue.reap(done, min, timeout_ns);
    REQUIRE(count >= 0);
    done.resize(static_cast<std::size_t>(count));
    return done;
  }

  ManualHost host;
  ScriptedPort port;
  dp::PortQueue<ScriptedPort> queue;
};

}  // namespace

TEST_CASE("iocp: however a call ends, its tag completes once") {
  struct Row {
    const char* name;
    dp::StartResult start;
    bool skips;
    std::vector<dp::Packet> packets;
    std::int64_t result;
    std::uint32_t os_code;
  };
  const Row rows[] = {
      {"pending, then a packet", {dp::kIoPending, 0}, true, {{2, 0, 4096}}, 4096, 0},
      {"pending, then a failed packet", {dp::kIoPending, 0}, true, {{2, kAccessDenied, 0}}, -DP_EACCES, kAccessDenied},
      {"pending, then the end of the file", {dp::kIoPending, 0}, true, {{2, dp::kEndOfFile, 0}}, 0, 0},
      {"pending, then fewer bytes", {dp::kIoPending, 0}, true, {{2, 0, 100}}, 100, 0},
      {"done in its call, no packet", {dp::kWorked, 4096}, true, {}, 4096, 0},
      {"done in its call, and a packet", {dp::kWorked, 4096}, false, {{2, 0, 4096}}, 4096, 0},
      {"failed in its call", {kAccessDenied, 0}, true, {}, -DP_EACCES, kAccessDenied},
      {"failed in its call where packets are sent", {kAccessDenied, 0}, false, {}, -DP_EACCES, kAccessDenied},
      {"at the end of the file in its call", {dp::kEndOfFile, 0}, false, {}, 0, 0},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    Rig rig;
    rig.port.results[2] = row.start;
    rig.port.skips = row.skips;
    CHECK(rig.submit({2}) == 1);
    rig.port.packets.assign(row.packets.begin(), row.packets.end());
    const std::vector<dp_done> done = rig.reap(4, 1, 10 * kMs);
    REQUIRE(done.size() == 1);
    CHECK(done[0].tag == 2);
    CHECK(done[0].result == row.result);
    CHECK(done[0].os_code == row.os_code);
    CHECK(rig.reap(4, 0).empty());
  }
}

TEST_CASE("iocp: a timeout leaves nothing, whatever the count says") {
  Rig rig;
  rig.submit({0});
  CHECK(rig.reap(4, 1, 10 * kMs).empty());
  CHECK(rig.port.waits == std::vector<std::uint32_t>{10});
  CHECK(rig.reap(4, 0).empty());
  CHECK(rig.port.waits.back() == 0);
  rig.port.packets.push_back({0, 0, 4096});
  CHECK(rig.reap(4, 1, 10 * kMs).size() == 1);
}

TEST_CASE("iocp: reap waits on until its min is there, for what is left of its time") {
  Rig rig;
  rig.submit({0, 1, 2});
  rig.port.at_once = 1;
  rig.port.packets = {{1, 0, 4096}, {0, 0, 4096}};
  CHECK(rig.reap(4, 2, 5 * kMs).size() == 2);
  CHECK(rig.port.waits.size() == 2);
  CHECK(rig.reap(4, 2, 5 * kMs).empty());  // one is in flight and does not come
  CHECK(rig.host.now() == 5 * kMs);
  CHECK(rig.reap(4, 1, kMs / 2).empty());  // less than the port can wait
  CHECK(rig.port.waits.back() == 0);
}

TEST_CASE("iocp: what ended in its call is handed over first, stamped, and within max") {
  Rig rig;
  for (const std::uint32_t tag : {0u, 1u, 2u}) rig.port.results[tag] = {dp::kWorked, 4096};
  rig.host.set(77);
  CHECK(rig.submit({0, 1, 2, 3}) == 4);
  rig.host.set(99);
  rig.port.packets.push_back({3, 0, 4096});
  const std::vector<dp_done> first = rig.reap(2, 1);
  REQUIRE(first.size() == 2);
  CHECK(first[0].tag == 0);
  CHECK(first[0].ticks == 77);
  CHECK(first[1].tag == 1);
  CHECK(rig.port.waits.empty());
  const std::vector<dp_done> rest = rig.reap(4, 1);
  REQUIRE(rest.size() == 2);
  CHECK(rest[0].tag == 2);
  CHECK(rest[1].tag == 3);
  CHECK(rest[1].ticks == 0);  // the runner stamps
}

TEST_CASE("iocp: a queue takes what fits, also with refused I/O not yet handed over") {
  Rig rig(3);
  rig.port.results[0] = {kAccessDenied, 0};
  CHECK(rig.submit({0, 1, 2, 3, 4}) == 3);
  CHECK(rig.submit({0}) == 0);
  CHECK(rig.reap(1, 1).front().tag == 0);
  rig.port.results.clear();
  CHECK(rig.submit({0}) == 1);
  rig.port.packets = {{0, 0, 1}, {1, 0, 1}, {2, 0, 1}};
  CHECK(rig.reap(8, 3, kMs).size() == 3);
}

TEST_CASE("iocp: an I/O that is not of this queue is refused, and the port never sees it") {
  Rig rig;
  const std::vector<dp_io> wrong{io_of(0, 1), io_of(1)};
  CHECK(rig.queue.submit(wrong) == 2);
  const std::vector<dp_done> done = rig.reap(4, 0);
  REQUIRE(done.size() == 1);
  CHECK(done[0].result == -DP_EINVAL);
}

TEST_CASE("iocp: an empty queue waits by the host's clock, and a port that fails ends the queue") {
  Rig rig;
  CHECK(rig.reap(4, 1, 10 * kMs).empty());
  CHECK(rig.host.now() == 10 * kMs);
  CHECK(rig.host.waits() == 1);
  CHECK(rig.port.waits.empty());
  rig.submit({0});
  rig.port.failure = kInvalidHandle;
  std::vector<dp_done> done(1);
  CHECK(rig.queue.reap(done, 1, kMs) == -DP_EOTHER);
}

TEST_CASE("iocp: cancel asks the port, and only for tags that there are") {
  Rig rig;
  CHECK(rig.queue.cancel(3) == 0);
  CHECK(rig.queue.cancel(4) == 0);
  CHECK(rig.port.cancelled == std::vector<std::uint32_t>{3});
}
