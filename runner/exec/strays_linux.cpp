// Found in /proc by their parent and by the environment that a fork inherits, whatever session they have moved to.
#include "exec/strays_linux.hpp"

#include <charconv>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace diskproof {
namespace {

namespace fs = std::filesystem;

constexpr int kRounds = 100;              // of looking for what those that were killed had started
constexpr int kLooks = 500;               // at one that was killed
constexpr timespec kPause{0, 2'000'000};  // between two looks

std::string content_of(const fs::path& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();  // nothing of a process that has just ended
  return content.str();
}

// The name in field 2 may hold blanks and brackets, so fields are counted from its last bracket.
struct Process {
  pid_t pid = 0, parent = 0, group = 0;
  char state = ' ';  // 'Z': ended, not waited for; its environment is gone
};

Process look_at_process(pid_t pid) {
  Process process{.pid = pid};
  const std::string text = content_of("/proc/" + std::to_string(pid) + "/stat");
  const auto bracket = text.rfind(')');
  if (bracket == std::string::npos) return process;
  std::istringstream(text.substr(bracket + 1)) >> process.state >> process.parent >> process.group;
  return process;
}

struct Look {
  std::vector<Process> strays;
  bool settled = true;  // false: one is ending, and what it started is not ours yet
};

Look look_for_strays(const std::string& mark, pid_t group) {
  Look look;
  std::error_code failure;
  for (fs::directory_iterator entry("/proc", failure), end; !failure && entry != end; entry.increment(failure)) {
    const std::string name = entry->path().filename();
    pid_t pid = 0;
    const auto [stop, fault] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (fault != std::errc{} || stop != name.data() + name.size()) continue;
    const Process process = look_at_process(pid);
    if (process.parent != getpid()) continue;
    const std::string environment = content_of(entry->path() / "environ");
    if (process.group == group || environment.find(mark) != std::string::npos) {
      look.strays.push_back(process);
    } else if (environment.empty() && process.state != 'Z') {
      look.settled = false;
    }
  }
  return look;
}

bool end_one(pid_t pid) {
  kill(pid, SIGKILL);
  for (int look = 0; look < kLooks; ++look) {
    if (waitpid(pid, nullptr, WNOHANG) != 0) return true;
    nanosleep(&kPause, nullptr);
  }
  return false;
}

}  // namespace

void adopt_strays() noexcept { prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

std::size_t end_strays(const std::string& mark, pid_t group) {
  std::size_t ended = 0;
  // One that starts another and ends while we look hides both of them: the second look finds what it started.
  for (int round = 0, quiet = 0; round < kRounds && quiet < 2; ++round) {
    const Look look = look_for_strays(mark, group);
    quiet = look.settled && look.strays.empty() ? quiet + 1 : 0;
    if (!look.settled) nanosleep(&kPause, nullptr);
    for (const Process& stray : look.strays) {
      if (!end_one(stray.pid)) return ended;
      if (stray.state != 'Z') ++ended;
    }
  }
  return ended;
}

}  // namespace diskproof
