// The child's end of the pipes on Linux: descriptors 3 (down) and 4 (up).
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "exec/child_channel.hpp"
#include "exec/child_descriptors_linux.hpp"

namespace diskproof {

namespace {

// A parent that ended before it could be asked for the signal has left the pipe without a writer.
bool is_parent_gone() {
  pollfd down{kChildReads, POLLIN, 0};
  return poll(&down, 1, 0) == 1 && (down.revents & POLLHUP) != 0;
}

}  // namespace

ChildChannel::ChildChannel() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (is_parent_gone()) leave_now(2);
  std::signal(SIGINT, SIG_IGN);  // the parent decides when a phase ends
  std::signal(SIGTERM, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  fcntl(kChildReads, F_SETFD, FD_CLOEXEC);
  fcntl(kChildWrites, F_SETFD, FD_CLOEXEC);
}

std::optional<Frame> ChildChannel::read() {
  for (;;) {
    if (auto frame = reader_.next()) return frame;
    char bytes[16384];
    const ssize_t got = ::read(kChildReads, bytes, sizeof bytes);
    if (got > 0) reader_.feed({bytes, static_cast<std::size_t>(got)});
    if (got == 0 || (got < 0 && errno != EINTR)) return std::nullopt;
  }
}

bool ChildChannel::write(FrameType type, std::string_view payload) {
  const std::string frame = encode_frame(type, payload);
  for (std::size_t at = 0; at < frame.size();) {
    const ssize_t put = ::write(kChildWrites, frame.data() + at, frame.size() - at);
    if (put > 0) at += static_cast<std::size_t>(put);
    if (put < 0 && errno != EINTR) return false;
  }
  return true;
}

void leave_now(int exit_code) noexcept { _exit(exit_code); }

}  // namespace diskproof
