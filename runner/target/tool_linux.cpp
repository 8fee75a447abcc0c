// fork, exec, poll. A program ends with this one.
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/clock.hpp"
#include "support/error.hpp"
#include "support/system_text.hpp"
#include "target/tool.hpp"

namespace diskproof {
namespace {

constexpr std::size_t kMostOutput = 16 * 1024;
constexpr int kNoSuchProgram = 127;
constexpr std::uint64_t kToolPatience = 5'000'000'000;  // ns
constexpr std::array<const char*, 6> kFolders{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin",
                                              "/usr/bin",        "/sbin",          "/bin"};

std::string find_program(const std::string& name) {
  for (const char* folder : kFolders) {
    const std::string path = fmt::format("{}/{}", folder, name);
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  throw Error(ErrorKind::unavailable,
              fmt::format("there is no program {} on this machine; install the package that has it", name));
}

// Between fork and exec only what is safe there.
[[noreturn]] void become(const char* path, char* const* argv, char* const* environment, int output, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kNoSuchProgram);  // it ended before it could be asked for
  const int null = open("/dev/null", O_RDONLY);
  dup2(null, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  if (chdir("/proc") == 0) execve(path, argv, environment);  // where a file that it names cannot be made
  _exit(kNoSuchProgram);
}

class RunningTool {
 public:
  explicit RunningTool(const ToolRun& run) : run_(run), program_(find_program(run.argv.front())) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("cannot be started: " + system_text(errno));
    output_ = ends[0];
    fcntl(output_, F_SETFL, O_NONBLOCK);
    std::vector<char*> argv;
    for (const std::string& argument : run.argv) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    std::array<char*, 3> environment{const_cast<char*>("PATH=/usr/sbin:/usr/bin:/sbin:/bin"),
                                     const_cast<char*>("LC_ALL=C"), nullptr};
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ == 0) become(program_.c_str(), argv.data(), environment.data(), ends[1], parent);
    const int code = errno;
    close(ends[1]);
    if (pid_ < 0) fail("cannot be started: " + system_text(code));
  }
  ~RunningTool() { close(output_); }
  RunningTool(const RunningTool&) = delete;
  RunningTool& operator=(const RunningTool&) = delete;

  std::string finish() {
    std::uint64_t end = monotonic_ns() + static_cast<std::uint64_t>(run_.timeout * 1e9);
    std::string gone;
    int status = 0;
    while (waitpid(pid_, &status, WNOHANG) == 0) {
      collect(50);
      const bool late = monotonic_ns() >= end;
      if (!gone.empty() && late) fail(gone + ", but cannot be ended as its device does not answer");
      if (!gone.empty()) continue;
      if (run_.stopped && run_.stopped()) gone = "was stopped";
      if (late) gone = fmt::format("did not end within {:.0f} s, and was killed", run_.timeout);
      if (gone.empty()) continue;
      kill(-pid_, SIGKILL);
      end = monotonic_ns() + kToolPatience;
    }
    collect(0);
    if (!gone.empty()) fail(gone);
    if (WIFSIGNALED(status)) fail(fmt::format("was ended by signal {}", WTERMSIG(status)));
    if (WEXITSTATUS(status) != 0) fail(fmt::format("ended with exit code {}", WEXITSTATUS(status)));
    return text_;
  }

 private:
  void collect(int patience_ms) {
    pollfd ready{open_ ? output_ : -1, POLLIN, 0};
    poll(&ready, 1, patience_ms);
    std::array<char, 4096> bytes{};
    while (true) {
      const ssize_t got = read(output_, bytes.data(), bytes.size());
      if (got == 0) open_ = false;
      if (got <= 0) return;
      text_.append(bytes.data(), static_cast<std::size_t>(got));
      if (text_.size() > kMostOutput) text_.erase(0, text_.size() - kMostOutput);
    }
  }

  [[noreturn]] void fail(const std::string& how) const {
    std::string said = text_.substr(0, text_.find_last_not_of(" \n") + 1);
    if (!said.empty()) said = ": " + said;
    throw Error(ErrorKind::failed, fmt::format("`{}` {}{}", fmt::join(run_.argv, " "), how, said));
  }

  const ToolRun& run_;
  std::string program_, text_;
  pid_t pid_ = -1;
  int output_ = -1;
  bool open_ = true;
};

}  // namespace

std::string run_tool(const ToolRun& run) { return RunningTool(run).finish(); }

}  // namespace diskproof
