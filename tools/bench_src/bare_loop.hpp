// What the bare loops share: random offsets, buffers and a stopwatch. A bare loop is the least that does the same I/O:
// it counts operations and checks their length, reads the clock once in kBatchesPerLook batches and measures no
// latency.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "exec/random.hpp"
#include "support/clock.hpp"

namespace diskproof::bench {

inline constexpr std::uint32_t kBlock = 4096;
inline constexpr std::uint32_t kBatchesPerLook = 64;

struct BareJob {
  std::string path;  // the file, or the engine's shared library
  std::uint64_t size = 0;
  std::uint32_t depth = 1;
  std::uint32_t batch = 1;
  bool direct = false;
  std::uint64_t duration = 0;    // ns
  std::uint64_t operations = 0;  // > 0: ends after these instead
};

struct BareResult {
  std::uint64_t operations = 0;
  std::uint64_t duration = 0;  // ns
  std::uint64_t cpu = 0;       // ns, of this thread
};

class Offsets {
 public:
  explicit Offsets(std::uint64_t size) noexcept : blocks_(size / kBlock) {}
  std::uint64_t next() noexcept {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(random_.next()) * blocks_) >> 64) * kBlock;
  }

 private:
  Random random_{1};
  std::uint64_t blocks_;
};

class Buffers {
 public:
  explicit Buffers(std::uint32_t count)
      : bytes_(std::size_t{count} * kBlock), base_(static_cast<std::byte*>(std::aligned_alloc(kBlock, bytes_))) {
    if (!base_) throw std::bad_alloc();
    std::memset(base_.get(), 1, bytes_);  // the pages must be there before it starts
  }
  [[nodiscard]] std::byte* at(std::uint32_t index) const noexcept { return base_.get() + std::size_t{index} * kBlock; }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept { std::free(memory); }
  };
  std::size_t bytes_;
  std::unique_ptr<std::byte, Free> base_;
};

class Stopwatch {
 public:
  explicit Stopwatch(const BareJob& job) noexcept : job_(job), begin_(monotonic_ns()), cpu_begin_(cpu()) {}

  // Asked once per batch, with the operations completed so far.
  bool goes_on(std::uint64_t operations) noexcept {
    if (job_.operations > 0) return operations < job_.operations;
    return ++batches_ % kBatchesPerLook != 0 || monotonic_ns() - begin_ < job_.duration;
  }
  [[nodiscard]] BareResult result(std::uint64_t operations) const noexcept {
    return {operations, monotonic_ns() - begin_, cpu() - cpu_begin_};
  }

 private:
  static std::uint64_t cpu() noexcept {
    const ThreadCpu spent = thread_cpu();
    return spent.user + spent.system;
  }
  const BareJob& job_;
  std::uint64_t begin_, cpu_begin_;
  std::uint32_t batches_ = 0;
};

// An open file; throws std::system_error.
class File {
 public:
  explicit File(const BareJob& job);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

[[noreturn]] void throw_errno(int error, const char* call);
[[noreturn]] void throw_short(std::int64_t result);

// One loop per file. All leave nothing in flight.
BareResult run_pread(const BareJob& job);
BareResult run_aio(const BareJob& job);
BareResult run_ring(const BareJob& job);
BareResult run_table(const BareJob& job);

}  // namespace diskproof::bench
