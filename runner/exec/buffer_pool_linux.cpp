// Buffer memory on Linux: an anonymous mapping. Whoever makes the pool touches all of it at once, so that no page fault
// falls into the measurement and the memory lies on the NUMA node of that thread.
#include <cerrno>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <sys/mman.h>
#include <unistd.h>

#include "exec/buffer_pool.hpp"
#include "support/error.hpp"
#include "support/system_text.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;
constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, Linux 5.14

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

void* map(std::uint64_t size, int flags) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

// Null when there are not enough reserved pages, or touching them fails: some limits strike only then, and by a signal
// if it is done by hand.
void* map_reserved(std::uint64_t size) {
  void* memory = map(size, MAP_HUGETLB);
  if (memory == nullptr || madvise(memory, size, kPopulateWrite) == 0) return memory;
  munmap(memory, size);
  return nullptr;
}

// kB after `name` in the entry of /proc/self/smaps that holds `address`; 0 where there is none.
std::uint64_t smaps_kib(std::uintptr_t address, const std::string& name) {
  std::ifstream smaps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(smaps, line);) {
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    std::istringstream range(line);
    if (range >> std::hex >> begin >> dash >> end && dash == '-') {
      inside = begin <= address && address < end;
    } else if (inside && line.starts_with(name)) {
      std::uint64_t kib = 0;
      std::istringstream(line.substr(name.size())) >> kib;
      return kib;
    }
  }
  return 0;
}

}  // namespace

BufferPool::BufferPool(std::uint32_t buffers, std::uint64_t length) {
  stride_ = round_up(length, static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
  size_ = stride_ * buffers;
  const bool large = size_ >= kHugePage;
  if (large) {
    mapped_ = round_up(size_, kHugePage);
    mapping_ = map_reserved(mapped_);
    if (mapping_ != nullptr) wanted_ = PageKind::reserved_huge;
  }
  if (mapping_ == nullptr) {
    mapped_ = large ? size_ + kHugePage : size_;
    mapping_ = map(mapped_, large ? 0 : MAP_POPULATE);
  }
  if (mapping_ == nullptr) {
    throw Error(ErrorKind::unavailable,
                fmt::format("allocating {} bytes of I/O buffers ({} x {} bytes): {}; lower queue_depth, threads or "
                            "block_size",
                            size_, buffers, stride_, system_text(errno)));
  }
  base_ = static_cast<std::byte*>(mapping_);
  if (!large || wanted_ == PageKind::reserved_huge) return;
  base_ += round_up(reinterpret_cast<std::uintptr_t>(mapping_), kHugePage) - reinterpret_cast<std::uintptr_t>(mapping_);
  if (madvise(base_, size_, MADV_HUGEPAGE) == 0) wanted_ = PageKind::transparent_huge;
}

BufferPool::~BufferPool() { munmap(mapping_, mapped_); }

// The kernel merges what it can: more than half of the arena counts.
PageKind BufferPool::pages() const {
  if (wanted_ != PageKind::transparent_huge) return wanted_;
  const std::uint64_t huge = smaps_kib(reinterpret_cast<std::uintptr_t>(base_), "AnonHugePages:") * 1024;
  return huge > size_ / 2 ? PageKind::transparent_huge : PageKind::small;
}

}  // namespace diskproof
