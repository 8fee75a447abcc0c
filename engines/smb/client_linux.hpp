// One client process as its queue sees it: started, asked, ended. Used by the thread that made it, which the process
// does not outlive.
#pragma once

#include <span>
#include <string>
#include <sys/types.h>

#include "board_linux.hpp"

namespace smb {

// The program beside this library. Throws dp::EngineError when it is not there or does not run here.
std::string client_program();
void try_client_program();

class Client {
 public:
  // `board` outlives this. Throws dp::EngineError.
  Client(const Board& board, std::uint32_t index, const std::string& program);
  ~Client();
  Client(Client&& other) noexcept;
  Client& operator=(Client&&) = delete;

  [[nodiscard]] Mailbox& mailbox() const noexcept { return board_->mailbox(index_); }
  [[nodiscard]] std::span<char> room() const noexcept { return board_->room(index_); }

  // The mailbox is filled but for this.
  void ask(Ask what) const noexcept;
  [[nodiscard]] bool answered() const noexcept;
  // The answer was read.
  void clear() const noexcept;

  // Was there when it was last looked at; running() looks.
  [[nodiscard]] bool known() const noexcept { return pid_ > 0; }
  [[nodiscard]] bool running() noexcept;
  // Asks an idle one to close what is open and to end; the destructor waits for that.
  void leave() const noexcept;
  void kill() noexcept;

 private:
  const Board* board_;
  std::uint32_t index_;
  pid_t pid_ = -1;  // -1: ended and waited for
};

}  // namespace smb
