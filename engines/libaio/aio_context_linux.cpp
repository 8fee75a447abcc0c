// The AIO system calls, the check of the mapped ring, and what a refused io_setup means for the user.
#include "aio_context_linux.hpp"

#include <cerrno>
#include <ctime>
#include <fstream>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

#include <diskproof/engine_services.hpp>

namespace dp {
namespace {

constexpr std::uint32_t kRingMagic = 0xa10a10a1;

std::string sysctl(const char* name) {
  std::string value;
  std::ifstream(std::string("/proc/sys/fs/") + name) >> value;
  return value.empty() ? "unknown" : value;
}

[[noreturn]] void throw_setup_failure(int error, std::uint32_t depth) {
  const std::string tried = "io_setup for " + std::to_string(depth) + " I/Os";
  if (error == EAGAIN)
    throw EngineError(DP_ENOMEM,
                      tried + ": the system's limit is reached: fs.aio-max-nr is " + sysctl("aio-max-nr") + " and " +
                          sysctl("aio-nr") +
                          " are in use; raise it (sysctl -w fs.aio-max-nr=1048576), or lower queue_depth or threads",
                      error);
  if (error == ENOSYS || error == EPERM)
    throw EngineError(DP_ENOTSUP,
                      tried + ": " + std::generic_category().message(error) +
                          ": this kernel is built without CONFIG_AIO, or a seccomp filter (container) blocks it",
                      error);
  throw_errno(error, tried);
}

}  // namespace

AioContext::AioContext(std::uint32_t depth) {
  if (::syscall(SYS_io_setup, depth, &context_) != 0) throw_setup_failure(errno, depth);
  auto* ring = reinterpret_cast<Ring*>(context_);  // the context's name is the ring's address
  if (ring->magic != kRingMagic || ring->incompatible_features != 0 || ring->header_length != sizeof(Ring)) return;
  ring_ = ring;
  events_ = reinterpret_cast<const io_event*>(ring + 1);
  slots_ = ring->slots;
}

AioContext::~AioContext() { ::syscall(SYS_io_destroy, context_); }

int AioContext::submit(std::span<iocb*> requests) const noexcept {
  const long taken = ::syscall(SYS_io_submit, context_, static_cast<long>(requests.size()), requests.data());
  return taken < 0 ? -errno : static_cast<int>(taken);
}

int AioContext::wait(std::span<io_event> events, std::uint32_t min, std::uint64_t timeout_ns) const noexcept {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  timespec timeout{static_cast<time_t>(timeout_ns / kSecond), static_cast<long>(timeout_ns % kSecond)};
  const long count = ::syscall(SYS_io_getevents, context_, static_cast<long>(min), static_cast<long>(events.size()),
                               events.data(), &timeout);
  return count < 0 ? -errno : static_cast<int>(count);
}

}  // namespace dp
