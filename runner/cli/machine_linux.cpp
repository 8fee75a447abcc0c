// From /proc, uname and getrandom.
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <sys/random.h>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

#include "cli/machine.hpp"
#include "support/error.hpp"

namespace diskproof {
namespace {

// "MemTotal:  16316412 kB" in bytes; 0 when it is not there.
std::uint64_t memory_field(const std::string& wanted) {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  std::uint64_t kib = 0;
  while (file >> name >> kib) {
    std::getline(file, unit);
    if (name == wanted) return kib * 1024;
  }
  return 0;
}

std::string value_after(const std::string& path, const std::string& key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const auto at = line.find(separator);
    if (at == std::string::npos) continue;
    const auto begin = line.find_first_not_of(" \t\"", at + 1);
    const auto end = line.find_last_not_of(" \t\"");
    return begin == std::string::npos || end < begin ? "" : line.substr(begin, end - begin + 1);
  }
  return "";
}

}  // namespace

HostFacts host_facts() {
  HostFacts facts;
  utsname name{};
  if (uname(&name) == 0) {
    facts.hostname = name.nodename;
    facts.kernel = std::string(name.sysname) + " " + name.release;
  }
  facts.os = value_after("/etc/os-release", "PRETTY_NAME", '=');
  facts.cpu_model = value_after("/proc/cpuinfo", "model name", ':');
  facts.cpus = std::thread::hardware_concurrency();
  facts.memory = memory_field("MemTotal:");
  return facts;
}

std::uint64_t random_number() {
  std::uint64_t number = 0;
  while (getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) {
    if (errno != EINTR) throw Error(ErrorKind::unavailable, "the system gives no random numbers");
  }
  return number;
}

std::vector<std::string> program_arguments(int argc, char** argv) { return {argv + (argc > 0 ? 1 : 0), argv + argc}; }

void settle_process() {
  for (int fd = open("/dev/null", O_RDWR); fd >= 0; fd = open("/dev/null", O_RDWR)) {
    if (fd <= STDERR_FILENO) continue;
    close(fd);
    break;
  }
  std::signal(SIGXFSZ, SIG_IGN);
}

bool is_terminal_stdout() { return isatty(STDOUT_FILENO) == 1; }

}  // namespace diskproof
