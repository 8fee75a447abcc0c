// Buffer memory on Linux: an anonymous mapping, touched now so that no page fault falls into the measurement.
#include <cerrno>
#include <fmt/format.h>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

#include "exec/buffer_pool.hpp"
#include "support/error.hpp"

namespace diskproof {

BufferPool::BufferPool(std::uint32_t buffers, std::uint64_t length) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  stride_ = (length + page - 1) / page * page;
  size_ = stride_ * buffers;
  void* memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error(ErrorKind::unavailable,
                fmt::format("allocating {} bytes of I/O buffers ({} x {} bytes): {}; lower queue_depth, threads or "
                            "block_size",
                            size_, buffers, stride_, std::generic_category().message(errno)));
  }
  base_ = static_cast<std::byte*>(memory);
}

BufferPool::~BufferPool() { munmap(base_, size_); }

}  // namespace diskproof
