// Process identities from /proc.
#include <fstream>
#include <sstream>
#include <unistd.h>

#include "support/process.hpp"

namespace diskproof {
namespace {

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

// Field 22 of /proc/<pid>/stat; 0 when there is no such process, or it has ended and only waits for its parent to ask.
// The name in field 2 may hold blanks and brackets, so fields are counted from its last bracket.
std::uint64_t start_time_of(std::int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const auto bracket = text.rfind(')');
  if (bracket == std::string::npos) return 0;
  std::istringstream fields(text.substr(bracket + 1));
  std::string field;
  fields >> field;
  if (field == "Z" || field == "X") return 0;
  for (int number = 4; number < 22; ++number) fields >> field;
  std::uint64_t ticks = 0;
  fields >> ticks;
  return fields ? ticks : 0;
}

}  // namespace

ProcessIdentity current_process() {
  const std::int64_t pid = getpid();
  return {.pid = pid, .start_time = start_time_of(pid), .boot_id = boot_id()};
}

bool is_running(const ProcessIdentity& process) {
  if (process.pid <= 0 || process.boot_id != boot_id()) return false;
  const std::uint64_t started = start_time_of(process.pid);
  return started != 0 && started == process.start_time;
}

}  // namespace diskproof
