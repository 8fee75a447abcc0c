// Can this machine run io_uring, and if not, who forbids it?
#include <cerrno>
#include <fstream>
#include <memory>
#include <string>
#include <sys/resource.h>

#include <diskproof/engine_services.hpp>

#include "io_uring_engine_linux.hpp"
#include "ring_linux.hpp"

namespace dp {
namespace {

std::string why_not_permitted() {
  std::string disabled;
  std::ifstream("/proc/sys/kernel/io_uring_disabled") >> disabled;
  if (disabled == "2")
    return "io_uring is disabled by kernel.io_uring_disabled=2; sysctl -w kernel.io_uring_disabled=0";
  if (disabled == "1")
    return "io_uring is disabled by kernel.io_uring_disabled=1 for everybody without CAP_SYS_ADMIN or outside of "
           "kernel.io_uring_group";
  return "a seccomp filter (container) or a security module blocks io_uring";
}

std::string why_no_memory() {
  rlimit limit{};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  const std::string size =
      limit.rlim_cur == RLIM_INFINITY ? "unlimited" : std::to_string(limit.rlim_cur / 1024) + " KiB";
  return "the locked-memory limit may be too low (ulimit -l: " + size + ")";
}

void require_operations() {
  struct Free {
    void operator()(io_uring_probe* probe) const noexcept { io_uring_free_probe(probe); }
  };
  const std::unique_ptr<io_uring_probe, Free> probe(io_uring_get_probe());
  if (probe == nullptr) throw EngineError(DP_ENOTSUP, "io_uring of this kernel does not list its operations");
  for (const int op : {IORING_OP_READ, IORING_OP_WRITE, IORING_OP_READ_FIXED, IORING_OP_WRITE_FIXED, IORING_OP_FSYNC,
                       IORING_OP_FALLOCATE, IORING_OP_ASYNC_CANCEL})
    if (io_uring_opcode_supported(probe.get(), op) == 0)
      throw EngineError(DP_ENOTSUP, "io_uring of this kernel lacks operation " + std::to_string(op));
}

}  // namespace

void throw_setup_failure(int error, const RingSetup& setup) {
  std::string text = "io_uring_setup for " + std::to_string(setup.depth) + " I/Os" +
                     (setup.sqpoll ? " with sqpoll" : "") + (setup.iopoll ? " with iopoll" : "") + ": " +
                     std::generic_category().message(error);
  dp_code code = code_from_errno(error);
  if (error == EPERM || error == EACCES) {
    text += ": " + why_not_permitted();
    code = DP_ENOTSUP;
  } else if (error == ENOSYS) {
    text += ": this kernel is built without io_uring, or a seccomp filter (container) blocks it";
  } else if (error == ENOMEM) {
    text += ": " + why_no_memory();
  }
  throw EngineError(code, text, error);
}

void IoUringEngine::probe(Host) {
  Ring ring(RingSetup{.depth = 2});
  io_uring_prep_nop(ring.next_sqe());
  int status = ring.enter(1, 5'000'000'000);
  bool done = false;
  ring.take([&](const io_uring_cqe& cqe) {
    done = true;
    status = cqe.res;
    return true;
  });
  if (status < 0) throw_errno(-status, "an operation that does nothing, through io_uring");
  if (!done) throw EngineError(DP_ETIMEDOUT, "an operation that does nothing took io_uring over 5 s");
  require_operations();
}

}  // namespace dp
