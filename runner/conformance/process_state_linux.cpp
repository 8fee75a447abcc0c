// From /proc/self and the environment.
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/prctl.h>
#include <unistd.h>

#include "conformance/process_state.hpp"
#include "conformance/resource_use.hpp"

extern char** environ;

namespace diskproof {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();  // nothing of a process that has just ended
  return content.str();
}

std::uint64_t count_children() {
  std::uint64_t count = 0;
  std::error_code failure;
  for (fs::directory_iterator entry("/proc", failure), end; !failure && entry != end; entry.increment(failure)) {
    const std::string name = entry->path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string text = content_of(entry->path() / "stat");  // "PID (NAME) STATE PARENT …"
    const auto bracket = text.rfind(')');
    if (bracket == std::string::npos || bracket + 4 >= text.size()) continue;
    pid_t parent = 0;
    std::from_chars(text.data() + bracket + 4, text.data() + text.size(), parent);
    if (parent == getpid()) ++count;
  }
  return count;
}

// Without those that the C library keeps for itself and sets with the first thread.
std::string signals(const std::string& mask) {
  constexpr std::uint64_t kOwn = std::uint64_t{3} << 31;  // 32 and 33
  std::uint64_t bits = 0;
  std::from_chars(mask.data(), mask.data() + mask.size(), bits, 16);
  std::ostringstream text;
  text << std::hex << (bits & ~kOwn);
  return text.str();
}

}  // namespace

ProcessState process_state() {
  const std::map<std::string, std::string> fields{{"Umask:", "umask"},
                                                  {"SigBlk:", "blocked signals"},
                                                  {"SigIgn:", "ignored signals"},
                                                  {"SigCgt:", "caught signals"}};
  ProcessState state;
  std::error_code failure;
  state.manners["working directory"] = fs::current_path(failure).string();
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    state.manners["environment"] += std::string(*entry) + "\n";
  std::ifstream status("/proc/self/status");
  for (std::string name, rest; status >> name && std::getline(status >> std::ws, rest);) {
    if (const auto field = fields.find(name); field != fields.end())
      state.manners[field->second] = name == "Umask:" ? rest : signals(rest);
    if (name == "Threads:") state.threads = std::stoull(rest);
  }
  state.processes = count_children();
  state.descriptors = resource_use().descriptors;
  return state;
}

void keep_descendants() { prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

std::uint64_t count_open(const std::string& path) {
  std::uint64_t count = 0;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd"))
    if (fs::read_symlink(entry.path(), failure) == fs::path(path)) ++count;
  return count;
}

}  // namespace diskproof
