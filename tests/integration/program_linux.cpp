// Processes by posix_spawn and /proc.
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "integration/program.hpp"

extern char** environ;

namespace diskproof::testing {
namespace {

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;  // which takes a read error, of what is gone by now, as the end
  text << file.rdbuf();
  return text.str();
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& changes) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!changes.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : changes) all.push_back(name + "=" + value);
  return all;
}

std::vector<int> all_processes() {
  std::vector<int> all;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename().string();
    int pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error == std::errc{} && end == name.data() + name.size()) all.push_back(pid);
  }
  return all;
}

struct ProcessState {
  char letter;  // 'Z' a zombie
  int parent;
};

std::optional<ProcessState> state_of(int pid) {
  const std::string stat = read_all("/proc/" + std::to_string(pid) + "/stat");
  const auto end = stat.rfind(')');  // of the program's name, which may hold anything
  if (end == std::string::npos || end + 4 >= stat.size()) return std::nullopt;
  return ProcessState{stat[end + 2], std::atoi(stat.c_str() + end + 4)};
}

}  // namespace

Program::Program(Launch launch) : launch_(std::move(launch)) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, launch_.out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, launch_.err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (!launch_.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, launch_.folder.c_str());
  std::vector<std::string> arguments = launch_.arguments, environment = environment_with(launch_.environment);
  const std::vector<char*> argv = pointers(arguments), envp = pointers(environment);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int code = posix_spawnp(&pid_, argv[0], &actions, &attributes, argv.data(), envp.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) throw std::runtime_error("cannot start " + arguments.front());
}

Program::~Program() {
  if (!running()) return;
  signal(SIGKILL);
  wait(std::chrono::seconds(10));
}

int Program::wait(std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (ending_ == kStillRunning) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      ending_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    } else if (std::chrono::steady_clock::now() >= deadline) {
      break;
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  return ending_;
}

void Program::signal(int number) const {
  if (ending_ == kStillRunning) ::kill(pid_, number);
}

void Program::signal_group(int number) const {
  if (ending_ == kStillRunning) ::kill(-pid_, number);
}

std::vector<int> children_of(int pid) {
  std::vector<int> children;
  for (const int candidate : all_processes()) {
    const auto state = state_of(candidate);
    if (state && state->parent == pid && state->letter != 'Z') children.push_back(candidate);
  }
  return children;
}

std::vector<int> processes_with_environment(const std::string& text) {
  std::vector<int> found;
  for (const int candidate : all_processes()) {
    const bool holds = read_all("/proc/" + std::to_string(candidate) + "/environ").find(text) != std::string::npos;
    if (holds && is_alive(candidate)) found.push_back(candidate);
  }
  return found;
}

void kill_process(int pid) { ::kill(pid, SIGKILL); }

bool catches(int pid, int signal) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("SigCgt:")) return (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1) != 0;
  }
  return false;
}

bool is_alive(int pid) {
  const auto state = state_of(pid);
  return state && state->letter != 'Z' && state->letter != 'X';
}

}  // namespace diskproof::testing
