// Buffer memory on Windows: committed pages, touched now so that no page fault falls into the measurement. Large pages
// need a right that few users have, and are not asked for.
#include <fmt/format.h>

#include "exec/buffer_pool.hpp"
#include "support/error.hpp"
#include "support/system_windows.hpp"

namespace diskproof {

BufferPool::BufferPool(std::uint32_t buffers, std::uint64_t length) {
  SYSTEM_INFO system;
  GetSystemInfo(&system);
  const std::uint64_t page = system.dwPageSize;
  stride_ = (length + page - 1) / page * page;
  size_ = stride_ * buffers;
  void* memory = VirtualAlloc(nullptr, size_, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
  if (memory == nullptr) {
    throw Error(ErrorKind::unavailable,
                fmt::format("allocating {} bytes of I/O buffers ({} x {} bytes): {}; lower queue_depth, threads or "
                            "block_size",
                            size_, buffers, stride_, error_text(GetLastError())));
  }
  mapping_ = memory;
  mapped_ = size_;
  base_ = static_cast<std::byte*>(memory);
  for (std::uint64_t at = 0; at < size_; at += page) *static_cast<volatile std::byte*>(base_ + at) = std::byte{};
}

BufferPool::~BufferPool() { VirtualFree(mapping_, 0, MEM_RELEASE); }

PageKind BufferPool::pages() const { return wanted_; }

}  // namespace diskproof
