// Queues among themselves: two at the same time on two threads, and many one after the other.
#include <array>
#include <condition_variable>
#include <exception>
#include <fmt/format.h>
#include <mutex>
#include <thread>
#include <vector>

#include "conformance/leaks.hpp"
#include "conformance/mirror.hpp"
#include "conformance/rig.hpp"
#include "conformance/rule.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kBlock = 4096;

// Two threads wait for each other here, as often as they like, until one of them has left.
class Meeting {
 public:
  void arrive() {
    std::unique_lock lock(mutex_);
    ++arrived_;
    const int enough = (arrived_ + 1) / 2 * 2;
    changed_.notify_all();
    changed_.wait(lock, [&] { return left_ || arrived_ >= enough; });
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    left_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int arrived_ = 0;
  bool left_ = false;
};

// One thread's work: its own queue and target, of the engine that both share. Both queues are open at the same time,
// and what one wrote is still there when the other has written too.
void work(const Subject& subject, const std::shared_ptr<Engine>& engine, const Place& place, std::uint32_t index,
          Meeting& meeting) {
  const std::uint32_t depth = std::min(subject.depth(), 8u);
  Rig rig(subject, engine, {place}, {.depth = depth, .queue_index = index});
  meeting.arrive();
  Mirror mirror(rig, 0, depth * kBlock, 11 + 100 * index);
  for (int round = 0; round < 100; ++round) {
    std::vector<dp_io> ios;
    for (std::uint32_t tag = 0; tag < depth; ++tag)
      ios.push_back(round % 2 == 0 ? mirror.write(tag, tag * kBlock, kBlock) : mirror.read(tag, tag * kBlock, kBlock));
    rig.must_run(ios);
    for (std::uint32_t tag = 0; tag < depth && round % 2 == 1 && subject.keeps_data(); ++tag)
      mirror.compare(tag, tag * kBlock, kBlock);
  }
  meeting.arrive();
  if (subject.keeps_data()) mirror.compare_all();
}

std::string threads(Subject& subject) {
  subject.need_operation(DP_OP_READ);
  subject.need_operation(DP_OP_WRITE);
  const std::uint64_t size = std::min(subject.depth(), 8u) * kBlock;
  const std::array places{subject.place("first", size), subject.place("second", size)};
  const auto engine = subject.create();
  std::array<std::exception_ptr, 2> faults;
  Meeting meeting;
  const auto guarded = [&](std::uint32_t index) {
    try {
      work(subject, engine, places[index], index, meeting);
    } catch (...) {
      faults[index] = std::current_exception();
    }
    meeting.leave();
  };
  std::thread other(guarded, 1u);
  guarded(0);
  other.join();
  for (const std::exception_ptr& fault : faults) {
    if (fault) std::rethrow_exception(fault);
  }
  return subject.keeps_data() ? "" : "it keeps no data: only completions were compared";
}

std::string cycles(Subject& subject) {
  const auto engine = subject.create();
  const Place place = subject.place("data", 4 * kBlock);
  const dp_op op = subject.supports(DP_OP_READ) ? DP_OP_READ : DP_OP_WRITE;
  must_not_leak("opening and closing a queue", 25, [&] {
    Rig rig(subject, engine, {place}, {.depth = std::min(subject.depth(), 2u)});
    rig.must_run(std::array{rig.io(op, 0)});
  });
  return "";
}

constexpr std::array kRules{
    ConformanceRule{"queue.threads", "two queues on two threads do not disturb each other", threads},
    ConformanceRule{"queue.cycles", "opening and closing queues leaves nothing behind", cycles},
};

}  // namespace

std::span<const ConformanceRule> queue_rules() { return kRules; }

}  // namespace diskproof
