#include "client_linux.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <diskproof/engine_services.hpp>

namespace smb {
namespace {

constexpr int kBoard = 3;          // the client's descriptor of the board
constexpr int kGoodBye = 1000;     // looks, each 2 ms after the other, at a client that is to leave
constexpr long kLook = 2'000'000;  // ns

pid_t start(const std::string& program, int board, const std::string& index) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  if (board >= 0) ::posix_spawn_file_actions_adddup2(&actions, board, kBoard);
  std::string name = program, descriptor = std::to_string(kBoard), number = index;
  std::array<char*, 4> arguments{name.data(), descriptor.data(), number.data(), nullptr};
  if (board < 0) arguments[1] = nullptr;
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, program.c_str(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) dp::throw_errno(error, "starting the SMB client " + program);
  return pid;
}

}  // namespace

std::string client_program() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&client_program), &info) == 0 || info.dli_fname == nullptr)
    throw dp::EngineError(DP_ENOTSUP, "the folder of the smb engine is not known");
  const std::string library = info.dli_fname;
  return library.substr(0, library.rfind('/') + 1) + "diskproof_smb_client";
}

void try_client_program() {
  const std::string program = client_program();
  const pid_t pid = start(program, -1, "");
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0)
    throw dp::EngineError(DP_ENOTSUP, "the SMB client " + program + " does not run here: is libsmbclient installed?");
}

Client::Client(const Board& board, std::uint32_t index, const std::string& program) : board_(&board), index_(index) {
  pid_ = start(program, board.descriptor(), std::to_string(index));
}

Client::Client(Client&& other) noexcept
    : board_(other.board_), index_(other.index_), pid_(std::exchange(other.pid_, -1)) {}

Client::~Client() {
  if (!known()) return;
  leave();
  for (int look = 0; mailbox().ask == Ask::leave && look < kGoodBye && running(); ++look) {
    const timespec pause{0, kLook};
    ::nanosleep(&pause, nullptr);
  }
  kill();
}

void Client::leave() const noexcept {
  if (mailbox().state.load(std::memory_order_acquire) == kIdle) ask(Ask::leave);
}

void Client::ask(Ask what) const noexcept {
  Mailbox& box = mailbox();
  box.ask = what;
  box.state.store(kAsked, std::memory_order_release);
  wake(box.state);
}

bool Client::answered() const noexcept { return mailbox().state.load(std::memory_order_acquire) == kAnswered; }
void Client::clear() const noexcept { mailbox().state.store(kIdle, std::memory_order_relaxed); }

bool Client::running() noexcept {
  if (pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) != 0) pid_ = -1;
  return pid_ > 0;
}

void Client::kill() noexcept {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

}  // namespace smb
