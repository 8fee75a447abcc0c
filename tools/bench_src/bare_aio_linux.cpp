// The bare loop of io_submit and io_getevents: what came back goes out again, in one call each.
#include <algorithm>
#include <cerrno>
#include <linux/aio_abi.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#include "bare_loop.hpp"

namespace diskproof::bench {

namespace {

class Context {
 public:
  explicit Context(std::uint32_t depth) {
    if (::syscall(SYS_io_setup, depth, &context_) != 0) throw_errno(errno, "io_setup");
  }
  ~Context() { ::syscall(SYS_io_destroy, context_); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // At most `batch` in one call.
  void submit(iocb** requests, std::uint32_t count, std::uint32_t batch) const {
    while (count > 0) {
      const long taken = ::syscall(SYS_io_submit, context_, static_cast<long>(std::min(count, batch)), requests);
      if (taken < 0 && errno != EAGAIN && errno != EINTR) throw_errno(errno, "io_submit");
      if (taken < 0) continue;
      requests += taken;
      count -= static_cast<std::uint32_t>(taken);
    }
  }
  std::uint32_t wait(std::vector<io_event>& events, std::uint32_t min) const {
    const long got = ::syscall(SYS_io_getevents, context_, static_cast<long>(min), static_cast<long>(events.size()),
                               events.data(), nullptr);
    if (got < 0 && errno != EINTR) throw_errno(errno, "io_getevents");
    return got < 0 ? 0 : static_cast<std::uint32_t>(got);
  }

 private:
  aio_context_t context_ = 0;
};

}  // namespace

BareResult run_aio(const BareJob& job) {
  const File file(job);
  const Buffers buffers(job.depth);
  Offsets offsets(job.size);
  const Context context(job.depth);
  std::vector<iocb> requests(job.depth);
  std::vector<iocb*> order(job.depth);
  std::vector<io_event> events(job.depth);
  for (std::uint32_t tag = 0; tag < job.depth; ++tag) {
    iocb& request = requests[tag];
    request.aio_data = tag;
    request.aio_lio_opcode = IOCB_CMD_PREAD;
    request.aio_fildes = static_cast<std::uint32_t>(file.descriptor());
    request.aio_buf = reinterpret_cast<std::uint64_t>(buffers.at(tag));
    request.aio_nbytes = kBlock;
    request.aio_offset = static_cast<std::int64_t>(offsets.next());
    order[tag] = &request;
  }
  std::uint64_t operations = 0;
  std::uint32_t count = job.depth;
  Stopwatch watch(job);
  do {
    context.submit(order.data(), count, job.batch);
    count = context.wait(events, 1);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (events[i].res != kBlock) throw_short(events[i].res);
      order[i] = &requests[events[i].data];
      order[i]->aio_offset = static_cast<std::int64_t>(offsets.next());
    }
    operations += count;
  } while (watch.goes_on(operations));
  return watch.result(operations);  // the context's end waits for what is in flight
}

}  // namespace diskproof::bench
