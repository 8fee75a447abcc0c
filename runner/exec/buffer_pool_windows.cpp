// Buffer memory on Windows: on large pages for whoever has the right to lock memory, else committed pages, touched now
// so that no page fault falls into the measurement.
#include <fmt/format.h>

#include "exec/buffer_pool.hpp"
#include "support/error.hpp"
#include "support/system_windows.hpp"

namespace diskproof {

namespace {

constexpr std::uint64_t kAlignment = std::uint64_t{2} << 20;  // of a large page, as everywhere

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

// The right to large pages ("Lock pages in memory") is given to an account, and every process asks for it anew.
bool may_lock_pages() {
  HANDLE opened = nullptr;
  if (OpenProcessToken(GetCurrentProcess(), TOKEN_ADJUST_PRIVILEGES | TOKEN_QUERY, &opened) == 0) return false;
  const Handle token(opened);
  TOKEN_PRIVILEGES wanted{};
  wanted.PrivilegeCount = 1;
  wanted.Privileges[0].Attributes = SE_PRIVILEGE_ENABLED;
  return LookupPrivilegeValueW(nullptr, L"SeLockMemoryPrivilege", &wanted.Privileges[0].Luid) != 0 &&
         AdjustTokenPrivileges(opened, FALSE, &wanted, 0, nullptr, nullptr) != 0 && GetLastError() == ERROR_SUCCESS;
}

// Null where there is no right to them, or not enough free memory in one piece.
void* map_large(std::uint64_t size) {
  const std::uint64_t page = GetLargePageMinimum();
  if (page == 0 || size < page || !may_lock_pages()) return nullptr;
  return VirtualAlloc(nullptr, round_up(size, page), MEM_RESERVE | MEM_COMMIT | MEM_LARGE_PAGES, PAGE_READWRITE);
}

}  // namespace

BufferPool::BufferPool(std::uint32_t buffers, std::uint64_t length) {
  SYSTEM_INFO system;
  GetSystemInfo(&system);
  const std::uint64_t page = system.dwPageSize;
  stride_ = round_up(length, page);
  size_ = stride_ * buffers;
  mapping_ = map_large(size_);
  if (mapping_ != nullptr) {
    base_ = static_cast<std::byte*>(mapping_);
    wanted_ = PageKind::reserved_huge;
    return;
  }
  mapped_ = size_ + kAlignment;
  mapping_ = VirtualAlloc(nullptr, mapped_, MEM_RESERVE, PAGE_NOACCESS);  // addresses only
  void* arena = reinterpret_cast<void*>(round_up(reinterpret_cast<std::uintptr_t>(mapping_), kAlignment));
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
