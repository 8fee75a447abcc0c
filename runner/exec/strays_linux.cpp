// Found in /proc by their parent and by the environment that a fork inherits, whatever session they have moved to.
#include "exec/strays_linux.hpp"

#include <charconv>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
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

void add_number(std::string_view text, std::vector<pid_t>& numbers) {
  pid_t number = 0;
  const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault == std::errc{} && stop == text.data() + text.size()) numbers.push_back(number);
}

// Where the kernel does not list them: among all processes.
std::vector<pid_t> search_children() {
  std::vector<pid_t> numbers;
  std::error_code failure;
  for (fs::directory_iterator entry("/proc", failure), end; !failure && entry != end; entry.increment(failure))
    add_number(entry->path().filename().string(), numbers);
  std::erase_if(numbers, [](pid_t pid) { return look_at_process(pid).parent != getpid(); });
  return numbers;
}

// The kernel's own list, by thread; it may miss one while another one ends.
std::vector<pid_t> listed_children() {
  std::vector<pid_t> numbers;
  std::error_code failure;
  for (fs::directory_iterator task("/proc/self/task", failure), end; !failure && task != end; task.increment(failure)) {
    std::ifstream list(task->path() / "children");
    if (!list) return search_children();
    for (std::string number; list >> number;) add_number(number, numbers);
  }
  return numbers;
}

Look look_for_strays(const std::string& mark, pid_t group) {
  Look look;
  for (const pid_t pid : listed_children()) {
    const Process process = look_at_process(pid);
    if (process.parent != getpid()) continue;
    const std::string environment = content_of("/proc/" + std::to_string(pid) + "/environ");
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
