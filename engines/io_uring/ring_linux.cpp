// Set-up ladder, registration and the entering of the kernel.
#include "ring_linux.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/uio.h>
#include <vector>

#include <diskproof/engine_services.hpp>

namespace dp {
namespace {

struct Rung {
  unsigned flags;
  const char* name;
};

// From the newest kernel's flags to none. With DEFER_TASKRUN completions are run when this thread enters, not by
// interrupting it; TASKRUN_FLAG shows without a call that there are some. SUBMIT_ALL: one bad I/O does not hold up
// those behind it.
constexpr std::array kRungs{
    Rung{IORING_SETUP_SUBMIT_ALL | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
         "single_issuer+defer_taskrun"},  // Linux 6.1
    Rung{IORING_SETUP_SUBMIT_ALL | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
         "single_issuer+coop_taskrun"},                                                                     // 6.0
    Rung{IORING_SETUP_SUBMIT_ALL | IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG, "coop_taskrun"},  // 5.19
    Rung{IORING_SETUP_SUBMIT_ALL, "submit_all"},                                                            // 5.18
    Rung{0, "no flags"}};

// The submission thread runs the completions, so the TASKRUN flags do not apply.
constexpr std::array kSqpollRungs{
    Rung{IORING_SETUP_SQPOLL | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_SINGLE_ISSUER, "sqpoll+single_issuer"},
    Rung{IORING_SETUP_SQPOLL | IORING_SETUP_SUBMIT_ALL, "sqpoll+submit_all"}, Rung{IORING_SETUP_SQPOLL, "sqpoll"}};

// 0 for what the next call puts right: the time is over, a signal, no memory or no room for completions just now.
int fatal(int status) noexcept {
  const bool passing = status == -ETIME || status == -EINTR || status == -EAGAIN || status == -EBUSY;
  return passing ? 0 : std::min(status, 0);
}

}  // namespace

Ring::Ring(const RingSetup& setup) {
  const auto rungs = setup.sqpoll ? std::span<const Rung>(kSqpollRungs) : std::span<const Rung>(kRungs);
  int status = -EINVAL;
  for (const Rung& rung : rungs) {
    io_uring_params params{};
    params.flags = rung.flags | IORING_SETUP_CQSIZE | (setup.iopoll ? IORING_SETUP_IOPOLL : 0u);
    params.cq_entries = 2 * setup.depth;
    params.sq_thread_idle = setup.sqpoll_idle_ms;
    status = io_uring_queue_init_params(setup.depth, &ring_, &params);
    flags_ = rung.name;
    if (status != -EINVAL) break;
  }
  if (status < 0) throw_setup_failure(-status, setup);
  constexpr unsigned kNeeded = IORING_FEAT_NODROP | IORING_FEAT_EXT_ARG;
  if ((ring_.features & kNeeded) != kNeeded) {
    io_uring_queue_exit(&ring_);
    throw EngineError(DP_ENOTSUP,
                      "io_uring of this kernel cannot wait with a time limit; Linux 5.11 or newer is needed");
  }
  static_cast<void>(io_uring_register_ring_fd(&ring_));  // saves a look-up per enter; works without
}

// Explicitly, because the kernel takes down a closed ring later, when the device may have to be free already.
Ring::~Ring() {
  if (has_buffers_) io_uring_unregister_buffers(&ring_);
  if (has_files_) io_uring_unregister_files(&ring_);
  io_uring_queue_exit(&ring_);
}

int Ring::register_files(std::span<const int> descriptors) noexcept {
  const int status = io_uring_register_files(&ring_, descriptors.data(), static_cast<unsigned>(descriptors.size()));
  has_files_ = status == 0;
  return status;
}

int Ring::register_buffers(std::span<const dp_region> regions) {
  std::vector<iovec> vectors;
  vectors.reserve(regions.size());
  for (const dp_region& region : regions) vectors.push_back({region.base, region.length});
  const int status = io_uring_register_buffers(&ring_, vectors.data(), static_cast<unsigned>(vectors.size()));
  has_buffers_ = status == 0;
  return status;
}

std::uint64_t Ring::known_operations() const {
  // It only reads, and wants a pointer that it could write through.
  io_uring_probe* probe = io_uring_get_probe_ring(const_cast<io_uring*>(&ring_));
  std::uint64_t known = 0;
  for (int operation = 0; probe != nullptr && operation < 64; ++operation) {
    if (io_uring_opcode_supported(probe, operation) != 0) known |= std::uint64_t{1} << operation;
  }
  io_uring_free_probe(probe);
  return known;
}

int Ring::submit() noexcept { return fatal(io_uring_submit(&ring_)); }

int Ring::enter(std::uint32_t min, std::uint64_t timeout_ns) noexcept {
  int status = 0;
  if (min == 0) {
    status = io_uring_submit_and_get_events(&ring_);
  } else {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    __kernel_timespec timeout{static_cast<std::int64_t>(timeout_ns / kSecond),
                              static_cast<long long>(timeout_ns % kSecond)};
    io_uring_cqe* first = nullptr;
    status = io_uring_submit_and_wait_timeout(&ring_, &first, min, &timeout, nullptr);
  }
  return fatal(status);
}

}  // namespace dp
