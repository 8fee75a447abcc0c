// The bare loop of io_uring, with the ring flags, registered file and registered buffers of the runner's engine: what
// came back goes out again, one io_uring_enter per batch at most.
#include <cerrno>
#include <liburing.h>
#include <sys/uio.h>

#include "bare_loop.hpp"

namespace diskproof::bench {

namespace {

class Ring {
 public:
  Ring(const BareJob& job, int file, const Buffers& buffers) : batch_(job.batch) {
    const std::uint32_t depth = job.depth;
    io_uring_params params{};
    params.flags = IORING_SETUP_SUBMIT_ALL | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
                   IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_CQSIZE;
    params.cq_entries = 2 * depth;
    int status = io_uring_queue_init_params(depth, &ring_, &params);
    if (status == -EINVAL) {  // before Linux 6.1
      params.flags = IORING_SETUP_CQSIZE;
      status = io_uring_queue_init_params(depth, &ring_, &params);
    }
    if (status < 0) throw_errno(-status, "io_uring_queue_init");
    const iovec memory{buffers.at(0), buffers.size()};
    status = io_uring_register_files(&ring_, &file, 1);
    if (status == 0) status = io_uring_register_buffers(&ring_, &memory, 1);
    if (status == 0) status = std::min(io_uring_register_ring_fd(&ring_), 0);
    if (status < 0) {
      io_uring_queue_exit(&ring_);
      throw_errno(-status, "io_uring_register");
    }
  }
  ~Ring() { io_uring_queue_exit(&ring_); }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  void queue(std::uint32_t tag, std::byte* data, std::uint64_t offset) {
    io_uring_sqe* entry = io_uring_get_sqe(&ring_);  // there are as many as there are tags
    io_uring_prep_rw(IORING_OP_READ_FIXED, entry, 0, data, kBlock, offset);
    entry->buf_index = 0;
    entry->flags |= IOSQE_FIXED_FILE;
    io_uring_sqe_set_data64(entry, tag);
    if (++queued_ % batch_ == 0) io_uring_submit(&ring_);  // what it does not take goes out with the next
  }

  // Hands over, waits for one at least, gives every completion to `take`.
  template <class Take>
  std::uint32_t turn(Take&& take) {
    const int status = io_uring_submit_and_wait(&ring_, 1);
    if (status < 0 && status != -EINTR && status != -EAGAIN) throw_errno(-status, "io_uring_enter");
    std::uint32_t head = 0, count = 0;
    io_uring_cqe* completion = nullptr;
    io_uring_for_each_cqe(&ring_, head, completion) {
      if (completion->res != static_cast<int>(kBlock)) throw_short(completion->res);
      take(static_cast<std::uint32_t>(completion->user_data));
      ++count;
    }
    io_uring_cq_advance(&ring_, count);
    return count;
  }

 private:
  io_uring ring_{};
  std::uint32_t batch_, queued_ = 0;
};

}  // namespace

BareResult run_ring(const BareJob& job) {
  const File file(job);
  const Buffers buffers(job.depth);
  Offsets offsets(job.size);
  Ring ring(job, file.descriptor(), buffers);
  const auto queue = [&](std::uint32_t tag) { ring.queue(tag, buffers.at(tag), offsets.next()); };
  for (std::uint32_t tag = 0; tag < job.depth; ++tag) queue(tag);
  std::uint64_t operations = 0;
  Stopwatch watch(job);
  do {
    operations += ring.turn(queue);
  } while (watch.goes_on(operations));
  const BareResult result = watch.result(operations);
  for (std::uint64_t left = job.depth; left > 0;) left -= ring.turn([](std::uint32_t) {});
  return result;
}

}  // namespace diskproof::bench
