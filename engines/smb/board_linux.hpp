// The memory that an engine's queue and its client processes share: a counter of answers, and for each client a mailbox
// with room for data. A mailbox holds one question or its answer; whose turn it is says `state`, on which both sides
// wait by futex.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>

namespace smb {

// What a client is asked to do. Paths are below the share, without slashes at their ends.
enum class Ask : std::uint32_t {
  connect,   // text: server, share; room: domain, user, password, each with its NUL; offset: port; length: ms; flags: 1
             // when the data must be encrypted
  open,      // text: path; flags: 1 when it is written to; result: the number of the file, from 0
  read,      // file, offset, length; result: bytes, in the room
  write,     // the same, from the room
  look,      // at an open file
  stat,      // text: path
  create,    // text: path; flags: 1 when it must not be there
  touch,     // text: path: opened and closed
  truncate,  // text: path; length
  unlink,
  rename,
  make_folder,
  remove_folder,  // text: path, or both
  list,           // text: path; the names are in the room, each with its NUL; result: bytes
  leave           // closes what is open and ends; no answer
};

enum Turn : std::uint32_t { kIdle, kAsked, kAnswered };

inline constexpr std::size_t kMostPath = 4096;

struct Mailbox {
  std::atomic<std::uint32_t> state;
  Ask ask;
  std::uint32_t file, flags;
  std::uint64_t offset, length;
  std::int64_t result;     // or a negative errno
  std::uint64_t size, id;  // of look and stat
  std::uint32_t folder, reserved;
  char text[kMostPath], text2[kMostPath];
  char words[256];  // why connect or open failed
};

class Board {
 public:
  // Makes one for as many clients, each with `room` bytes. Throws dp::EngineError.
  Board(std::uint32_t clients, std::uint64_t room);
  // Maps the one behind a descriptor that another process made.
  explicit Board(int descriptor);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  // Answers given so far by all clients; changes wake who waits for it.
  [[nodiscard]] std::atomic<std::uint32_t>& answers() const noexcept;
  [[nodiscard]] Mailbox& mailbox(std::uint32_t client) const noexcept;
  [[nodiscard]] std::span<char> room(std::uint32_t client) const noexcept;

 private:
  struct Head;
  [[nodiscard]] Head& head() const noexcept;
  void map(std::uint64_t bytes);

  int descriptor_;
  char* base_ = nullptr;
  std::uint64_t bytes_ = 0;
};

// Waits until the word is no longer `seen`, or that long at most; may return early.
void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t seen, std::uint64_t ns) noexcept;
void wake(const std::atomic<std::uint32_t>& word) noexcept;

// False when it does not fit.
bool put_text(std::span<char> to, std::string_view text) noexcept;

}  // namespace smb
