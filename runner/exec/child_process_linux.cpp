// Child processes on Linux: posix_spawn, pipes, poll, waitpid.
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "exec/child_descriptors_linux.hpp"
#include "exec/child_process.hpp"
#include "exec/strays_linux.hpp"
#include "support/clock.hpp"
#include "support/error.hpp"
#include "support/system_text.hpp"

extern char** environ;

namespace diskproof {

namespace {

constexpr int kAboveChild = 64;  // the parent's ends stay clear of the numbers that the child uses

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) noexcept : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  void reset() noexcept {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }
  [[nodiscard]] int get() const noexcept { return fd_; }

 private:
  int fd_;
};

class Deadline {
 public:
  explicit Deadline(std::chrono::milliseconds patience)
      : at_(monotonic_ns() + static_cast<std::uint64_t>(patience.count()) * 1'000'000) {}
  // Rounded up; 0 once it has passed.
  [[nodiscard]] int left_ms() const {
    const std::uint64_t now = monotonic_ns();
    return now >= at_ ? 0 : static_cast<int>((at_ - now + 999'999) / 1'000'000);
  }

 private:
  std::uint64_t at_;  // ns
};

struct Pipe {
  Descriptor read, write;
};

[[noreturn]] void throw_spawn_error(const std::string& executable, int code) {
  throw Error(ErrorKind::failed, fmt::format("starting the child process {}: {}", executable, system_text(code)));
}

Pipe make_pipe(const std::string& executable) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw_spawn_error(executable, errno);
  const Descriptor low_read(ends[0]), low_write(ends[1]);
  Pipe pipe{Descriptor(fcntl(ends[0], F_DUPFD_CLOEXEC, kAboveChild)),
            Descriptor(fcntl(ends[1], F_DUPFD_CLOEXEC, kAboveChild))};
  if (pipe.read.get() < 0 || pipe.write.get() < 0) throw_spawn_error(executable, errno);
  return pipe;
}

class SpawnSettings {
 public:
  SpawnSettings() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

// Also where what it started holds its pipes open. It is still to be waited for.
bool has_ended(pid_t pid) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

// In the environment of one child, and of what that starts.
std::string fresh_mark() {
  static std::atomic<unsigned> children{0};
  return fmt::format("DISKPROOF_CHILD={}.{}", getpid(), ++children);
}

std::vector<char*> environment_with(std::string& mark) {
  std::vector<char*> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!std::string_view(*entry).starts_with("DISKPROOF_CHILD=")) all.push_back(*entry);
  }
  all.push_back(mark.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

struct ChildProcess::Handles {
  pid_t pid = -1;
  std::string mark = fresh_mark();
  Descriptor control, frames, output;
};

std::string ChildExit::text() const {
  if (signalled) return fmt::format("was ended by signal {} ({})", code, strsignal(code));
  return fmt::format("ended with exit code {}", code);
}

int ChildProcess::inherited_as(std::size_t i) { return kChildInherits + static_cast<int>(i); }

ChildProcess::ChildProcess(const std::string& executable, const std::string& role, const std::vector<int>& inherited)
    : handles_(std::make_unique<Handles>()) {
  std::signal(SIGPIPE, SIG_IGN);  // a child that is gone shows in send()
  adopt_strays();
  Pipe down = make_pipe(executable), up = make_pipe(executable), output = make_pipe(executable);
  SpawnSettings spawn;
  posix_spawn_file_actions_addopen(&spawn.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&spawn.actions, output.write.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&spawn.actions, output.write.get(), STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&spawn.actions, down.read.get(), kChildReads);
  posix_spawn_file_actions_adddup2(&spawn.actions, up.write.get(), kChildWrites);
  std::vector<Descriptor> copies;  // clear of the child's numbers too
  for (std::size_t i = 0; i < inherited.size(); ++i) {
    copies.emplace_back(fcntl(inherited[i], F_DUPFD_CLOEXEC, kAboveChild));
    if (copies.back().get() < 0) throw_spawn_error(executable, errno);
    posix_spawn_file_actions_adddup2(&spawn.actions, copies.back().get(), inherited_as(i));
  }
  sigset_t defaults, none;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGHUP}) sigaddset(&defaults, signal);
  posix_spawnattr_setsigdefault(&spawn.attributes, &defaults);
  posix_spawnattr_setsigmask(&spawn.attributes, &none);
  posix_spawnattr_setpgroup(&spawn.attributes, 0);
  posix_spawnattr_setflags(&spawn.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  std::string path = executable, argument = role;
  std::array<char*, 3> argv{path.data(), argument.data(), nullptr};
  std::vector<char*> environment = environment_with(handles_->mark);
  const int code =
      posix_spawn(&handles_->pid, path.c_str(), &spawn.actions, &spawn.attributes, argv.data(), environment.data());
  if (code != 0) throw_spawn_error(executable, code);
  handles_->control = std::move(down.write);
  handles_->frames = std::move(up.read);
  handles_->output = std::move(output.read);
  fcntl(handles_->output.get(), F_SETFL, O_NONBLOCK);
  fcntl(handles_->control.get(), F_SETFL, O_NONBLOCK);
}

ChildProcess::~ChildProcess() {
  if (exit_) return;
  kill();
  wait(std::chrono::milliseconds(100));
}

bool ChildProcess::send(FrameType type, std::string_view payload, std::chrono::milliseconds patience) {
  const std::string frame = encode_frame(type, payload);
  const Deadline deadline(patience);
  for (std::size_t at = 0; at < frame.size();) {
    const ssize_t put = write(handles_->control.get(), frame.data() + at, frame.size() - at);
    if (put > 0) at += static_cast<std::size_t>(put);
    if (put >= 0 || errno == EINTR) continue;
    if (errno != EAGAIN || deadline.left_ms() == 0) return false;
    pollfd room{handles_->control.get(), POLLOUT, 0};
    poll(&room, 1, deadline.left_ms());
  }
  return true;
}

void ChildProcess::close_control() { handles_->control.reset(); }

ChildProcess::Received ChildProcess::receive(std::chrono::milliseconds patience) {
  using What = Received::What;
  const Deadline deadline(patience);
  for (;;) {
    if (auto frame = reader_.next()) return {What::frame, std::move(*frame)};
    const int left = deadline.left_ms();
    std::array<pollfd, 2> fds{pollfd{handles_->frames.get(), POLLIN, 0}, pollfd{handles_->output.get(), POLLIN, 0}};
    const int ready = poll(fds.data(), fds.size(), left);
    if (ready < 0 && errno != EINTR) throw Error(ErrorKind::failed, "waiting for the phase's process failed");
    if (ready > 0 && fds[1].revents != 0) collect_output();
    if (ready > 0 && fds[0].revents != 0) {
      if (!read_frames()) return {What::closed, {}};
    } else if (left == 0) {
      return {has_ended(handles_->pid) ? What::closed : What::nothing_yet, {}};
    }
  }
}

// False at the end of the stream.
bool ChildProcess::read_frames() {
  char bytes[65536];
  const ssize_t got = read(handles_->frames.get(), bytes, sizeof bytes);
  if (got > 0) reader_.feed({bytes, static_cast<std::size_t>(got)});
  return got > 0 || (got < 0 && errno == EINTR);
}

// Takes what is there, but no more than a pipe holds: a child that never stops printing must not keep us here.
void ChildProcess::collect_output() {
  char bytes[65536];
  for (int reads = 0; reads < 16; ++reads) {
    const ssize_t got = read(handles_->output.get(), bytes, sizeof bytes);
    if (got == 0) handles_->output.reset();  // poll ignores a negative descriptor
    if (got <= 0) return;
    log_.append(bytes, static_cast<std::size_t>(got));
    if (log_.size() > 2 * kLogCapacity) log_.erase(0, log_.size() - kLogCapacity);
  }
}

std::optional<ChildExit> ChildProcess::wait(std::chrono::milliseconds patience) {
  if (exit_) return exit_;
  const Deadline deadline(patience);
  for (std::uint64_t pause = 50'000;; pause = std::min<std::uint64_t>(pause * 2, 10'000'000)) {
    int status = 0;
    const pid_t ended = waitpid(handles_->pid, &status, WNOHANG);
    collect_output();  // after waitpid: what an ended child has printed is in the pipe by now
    if (ended == handles_->pid) {
      exit_ = WIFSIGNALED(status) ? ChildExit{true, WTERMSIG(status)} : ChildExit{false, WEXITSTATUS(status)};
      strays_ = end_strays(handles_->mark + '\0', handles_->pid);
      return exit_;
    }
    if (ended < 0 && errno == ECHILD) return exit_ = ChildExit{false, -1};
    if (deadline.left_ms() == 0) return std::nullopt;
    const timespec ts{0, static_cast<long>(pause)};
    nanosleep(&ts, nullptr);
  }
}

std::int64_t ChildProcess::process_id() const noexcept { return handles_->pid; }

void ChildProcess::kill() noexcept {
  if (!exit_) ::kill(-handles_->pid, SIGKILL);
}

std::string ChildProcess::log_tail() const {
  return log_.size() > kLogCapacity ? log_.substr(log_.size() - kLogCapacity) : log_;
}

}  // namespace diskproof
