// Buffer memory on Windows: committed pages, touched now so that no page fault falls into the measurement. Large pages
// need a right that few users have, and are not asked for.
#include <fmt/format.h>

#include "exec/buffer_pool.hpp"
#include "support/error.hpp"
#include "support/system_windows.hpp"

namespace diskproof {

namespace {

constexpr std::uint64_t kAlignment = std::uint64_t{2} << 20;  // of a large page, as everywhere

}  // namespace

BufferPool::BufferPool(std::uint32_t buffers, std::uint64_t length) {
  SYSTEM_INFO system;
  GetSystemInfo(&system);
  const std::uint64_t page = system.dwPageSize;
  stride_ = (length + page - 1) / page * page;
  size_ = stride_ * buffers;
  mapped_ = size_ + kAlignment;
  mapping_ = VirtualAlloc(nullptr, mapped_, MEM_RESERVE, PAGE_NOACCESS);  // addresses only
  const auto begin = reinterpret_cast<std::uintptr_t>(mapping_);
  void* arena = reinterpret_cast<void*>((begin + kAlignment - 1) / kAlignment * kAlignment);
  if (mapping_ == nullptr || VirtualAlloc(arena, size_, MEM_COMMIT, PAGE_READWRITE) == nullptr) {
    const DWORD code = GetLastError();
    VirtualFree(mapping_, 0, MEM_RELEASE);
    throw Error(ErrorKind::unavailable,
                fmt::format("allocating {} bytes of I/O buffers ({} x {} bytes): {}; lower queue_depth, threads or "
                            "block_size",
                            size_, buffers, stride_, error_text(code)));
  }
  base_ = static_cast<std::byte*>(arena);
  for (std::uint64_t at = 0; at < size_; at += page) *static_cast<volatile std::byte*>(base_ + at) = std::byte{};
}

BufferPool::~BufferPool() { VirtualFree(mapping_, 0, MEM_RELEASE); }

PageKind BufferPool::pages() const { return wanted_; }

}  // namespace diskproof
