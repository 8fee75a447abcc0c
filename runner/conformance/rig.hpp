// An open queue with its buffers and its books: what was accepted and is still in flight. Every call is checked against
// the rules that hold for all calls, whatever rule is being tried: a completion belongs to a tag in flight, no call
// takes or returns more than it was given. Used by the thread that made it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "conformance/subject.hpp"
#include "exec/buffer_pool.hpp"

namespace diskproof {

struct RigSpec {
  std::uint32_t depth = 1;
  std::uint64_t block = 4096;  // bytes of one buffer, a multiple of the page size
  std::uint32_t buffers = 0;   // 0: one per tag
  std::uint32_t regions = 1;
  std::uint32_t queue_index = 0;
};

class Rig {
 public:
  Rig(const Subject& subject, std::shared_ptr<Engine> engine, std::vector<Place> places, RigSpec spec);
  // With an engine of its own and one target.
  Rig(const Subject& subject, const std::string& target, std::uint64_t size, RigSpec spec);
  // What is still in flight keeps its queue, its engine and its memory until the process ends.
  ~Rig();
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  // An I/O of the tag's own buffer. `length` 0: the whole buffer; ignored by syncs.
  [[nodiscard]] dp_io io(dp_op op, std::uint32_t tag, std::uint64_t offset = 0, std::uint64_t length = 0) const;
  // The same in another buffer than the tag's own.
  [[nodiscard]] dp_io io_in(std::uint32_t buffer, dp_io io) const;
  [[nodiscard]] std::span<unsigned char> buffer(std::uint32_t index) const;

  // How many of the first were taken; those are in flight from then on.
  std::uint32_t submit(std::span<const dp_io> ios);
  // Completions, at most `max`; their tags are free again.
  std::vector<dp_done> reap(std::uint32_t max, std::uint32_t min, std::uint64_t timeout_ns);
  // 0 or -DP_ENOTSUP.
  std::int32_t cancel(std::uint32_t tag);
  // As submit.
  std::uint32_t submit_names(std::span<const dp_name_op> ops);

  // Until nothing is in flight; a violation when that takes longer than the patience for one I/O.
  std::vector<dp_done> drain();
  // Takes all of them, reaping where the queue is full, and drains; in order of completion.
  std::vector<dp_done> run_all(std::span<const dp_io> ios);
  dp_done run(const dp_io& io);
  // The same, and each must have moved all its bytes.
  void must_run(std::span<const dp_io> ios);

  [[nodiscard]] std::uint32_t in_flight() const noexcept { return in_flight_; }
  [[nodiscard]] const Queue& queue() const noexcept { return *parts_->queue; }
  [[nodiscard]] dp_target_info target_info(std::uint32_t target) const;
  // Ends the queue now, which is mostly left to the destructor.
  void close();

 private:
  // Destroyed from the last to the first.
  struct Parts {
    std::vector<Place> places;
    std::unique_ptr<BufferPool> buffers;
    std::shared_ptr<Engine> engine;
    std::unique_ptr<Queue> queue;
  };
  std::uint32_t note_accepted(std::int32_t status, std::size_t given, const char* call);
  void note_done(const dp_done& done);
  void mark(std::uint32_t tag);

  const Subject& subject_;
  RigSpec spec_;
  std::uint32_t buffers_per_region_ = 1;
  std::unique_ptr<Parts> parts_;
  std::vector<bool> busy_;  // by tag
  std::uint32_t in_flight_ = 0;
};

// "-5 (eio)" or "4096 bytes"
std::string result_text(std::int64_t result);

}  // namespace diskproof
