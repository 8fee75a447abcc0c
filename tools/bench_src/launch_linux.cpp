// bench_launch REPORT WATCH COMMAND…: runs COMMAND and writes one line of JSON to REPORT: how long it took, how long
// until the file WATCH was first read ("-": no file; absent when the kernel did not say), and the largest resident set
// of its processes. A program of its own, because a process starts out with the size of the one that forks it.
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <poll.h>
#include <spawn.h>
#include <string>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <time.h>
#include <unistd.h>

namespace {

std::uint64_t now_ns() {
  timespec ts{};
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return static_cast<std::uint64_t>(ts.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(ts.tv_nsec);
}

int checked(int status, const std::string& tried) {
  if (status < 0) throw std::system_error(errno, std::generic_category(), tried);
  return status;
}

// A descriptor that can be read once the file has been; once only, so that it costs no later read anything. -1: none.
int watch(const char* path) {
  if (std::strcmp(path, "-") == 0) return -1;
  const int events = checked(inotify_init1(IN_CLOEXEC), "inotify_init1");
  checked(inotify_add_watch(events, path, IN_ACCESS | IN_ONESHOT), std::string("watching ") + path);
  return events;
}

struct Outcome {
  std::uint64_t duration = 0;
  std::uint64_t first_access = 0;  // ns from the start; 0: not seen
  long largest_kib = 0;
  int exit_code = 0;
};

Outcome run(int events, char** command) {
  Outcome outcome;
  const std::uint64_t begin = now_ns();
  pid_t child = 0;
  if (const int error = posix_spawnp(&child, command[0], nullptr, nullptr, command, environ); error != 0) {
    throw std::system_error(error, std::generic_category(), command[0]);
  }
  const int ended = checked(static_cast<int>(syscall(SYS_pidfd_open, child, 0)), "pidfd_open");
  pollfd polled[] = {{ended, POLLIN, 0}, {events, POLLIN, 0}};
  while (polled[0].revents == 0) {
    if (poll(polled, 2, -1) < 0 && errno != EINTR) checked(-1, "poll");
    if (outcome.first_access != 0 || polled[1].revents == 0) continue;
    outcome.first_access = now_ns() - begin;
    polled[1].fd = -1;
    polled[1].revents = 0;
  }
  outcome.duration = now_ns() - begin;
  int status = 0;
  rusage usage{};  // of the child and of those it has waited for
  checked(wait4(child, &status, 0, &usage), "wait4");
  outcome.largest_kib = usage.ru_maxrss;
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

void write_report(const char* path, const Outcome& outcome) {
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) checked(-1, path);
  std::fprintf(file, "{\"duration_ns\": %llu, \"largest_kib\": %ld", static_cast<unsigned long long>(outcome.duration),
               outcome.largest_kib);
  if (outcome.first_access != 0) {
    std::fprintf(file, ", \"first_access_ns\": %llu", static_cast<unsigned long long>(outcome.first_access));
  }
  std::fprintf(file, "}\n");
  if (std::fclose(file) != 0) checked(-1, path);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: bench_launch REPORT WATCH|- COMMAND…\n");
    return 3;
  }
  try {
    const Outcome outcome = run(watch(argv[2]), argv + 3);
    write_report(argv[1], outcome);
    return outcome.exit_code;
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "bench_launch: %s\n", fault.what());
    return 2;
  }
}
