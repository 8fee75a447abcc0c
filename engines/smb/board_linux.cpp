#include "board_linux.hpp"

#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <diskproof/engine_services.hpp>

namespace smb {
namespace {

constexpr std::uint64_t kPage = 4096;

constexpr std::uint64_t whole_pages(std::uint64_t bytes) noexcept { return (bytes + kPage - 1) / kPage * kPage; }
constexpr std::uint64_t kBox = whole_pages(sizeof(Mailbox));

// Not a private one: the other side is another process.
long futex(const std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* time) noexcept {
  static_assert(sizeof word == 4 && std::atomic<std::uint32_t>::is_always_lock_free);
  return ::syscall(SYS_futex, &word, operation, value, time, nullptr, 0);
}

}  // namespace

struct Board::Head {
  std::atomic<std::uint32_t> answers;
  std::uint32_t clients;
  std::uint64_t room;
};

Board::Board(std::uint32_t clients, std::uint64_t room)
    : descriptor_(::memfd_create("diskproof smb clients", MFD_CLOEXEC)) {
  if (descriptor_ < 0) dp::throw_errno(errno, "making memory for the SMB clients");
  const std::uint64_t bytes = kPage + clients * (kBox + whole_pages(room));
  if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) {
    ::close(descriptor_);
    dp::throw_errno(errno, "making memory for the SMB clients");
  }
  map(bytes);
  head().clients = clients;
  head().room = whole_pages(room);
}

Board::Board(int descriptor) : descriptor_(descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) dp::throw_errno(errno, "looking at the memory of the SMB clients");
  map(static_cast<std::uint64_t>(status.st_size));
}

Board::~Board() {
  ::munmap(base_, bytes_);
  ::close(descriptor_);
}

void Board::map(std::uint64_t bytes) {
  void* base = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (base == MAP_FAILED) {
    const int error = errno;
    ::close(descriptor_);
    dp::throw_errno(error, "mapping the memory of the SMB clients");
  }
  base_ = static_cast<char*>(base);
  bytes_ = bytes;
}

Board::Head& Board::head() const noexcept { return *reinterpret_cast<Head*>(base_); }
std::atomic<std::uint32_t>& Board::answers() const noexcept { return head().answers; }

Mailbox& Board::mailbox(std::uint32_t client) const noexcept {
  return *reinterpret_cast<Mailbox*>(base_ + kPage + client * (kBox + head().room));
}

std::span<char> Board::room(std::uint32_t client) const noexcept {
  return {base_ + kPage + client * (kBox + head().room) + kBox, head().room};
}

void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t seen, std::uint64_t ns) noexcept {
  const timespec time{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  futex(word, FUTEX_WAIT, seen, &time);
}

void wake(const std::atomic<std::uint32_t>& word) noexcept { futex(word, FUTEX_WAKE, INT_MAX, nullptr); }

bool put_text(std::span<char> to, std::string_view text) noexcept {
  if (text.size() >= to.size()) return false;
  std::memcpy(to.data(), text.data(), text.size());
  to[text.size()] = '\0';
  return true;
}

}  // namespace smb
