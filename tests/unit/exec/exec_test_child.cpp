// The child of a phase as tests start it: the real one, or with DISKPROOF_TEST_CHILD one that misbehaves as told.
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <unistd.h>

#include "exec/child_channel.hpp"
#include "exec/messages.hpp"
#include "exec/phase_runner.hpp"

using namespace diskproof;

namespace {

constexpr int kFrames = 4;  // the inherited pipe to the parent

void write_raw(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(kFrames, bytes.data(), bytes.size());
    if (put <= 0) _exit(9);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

void send(FrameType type, const std::string& payload) { write_raw(encode_frame(type, payload)); }

[[noreturn]] void sleep_forever() {
  for (;;) ::pause();
}

[[noreturn]] void tick_forever() {
  for (;;) {
    send(FrameType::tick, tick_text({}));
    ::usleep(20'000);
  }
}

[[noreturn]] void print_forever() {
  const std::string line(4000, 'x');
  for (;;) {
    if (::write(STDERR_FILENO, line.data(), line.size()) < 0) _exit(9);
  }
}

void print_a_megabyte() {
  const std::string line(1023, 'm');
  for (int i = 0; i < 1024; ++i) {
    const std::string text = line + "\n";
    if (::write(STDERR_FILENO, text.data(), text.size()) < 0) _exit(9);
  }
}

// A result without anything measured; `tampered` claims an operation that no interval has.
std::string result_text(bool tampered) {
  std::string read;
  if (tampered) {
    read = R"("read": {"operations": 1, "bytes": 4096, "errors": 0, "error_latency_sum": 0,
               "latency": {"slots": [[100, 1]], "sum": 100, "min": 100, "max": 100}})";
  }
  return R"({"window_begin": 0, "window_end": 1000, "interval_grid": 1000, "directions": {)" + read + R"(},
             "intervals": {"index": [], "duration": [], "full": []},
             "warmup_intervals": {"index": [], "duration": [], "full": []},
             "drain": {"operations": 0, "latency_max": 0, "direction_latency_max": [0, 0, 0, 0], "finished": true},
             "in_flight_integral": 0, "in_window_time": 0, "stall_max": 0, "cpu_user": 0, "cpu_system": 0,
             "error_examples": []})";
}

void start_a_helper() {
  if (::fork() == 0) {
    if (const char* file = std::getenv("DISKPROOF_TEST_PIDS")) std::ofstream(file, std::ios::app) << ::getpid() << '\n';
    sleep_forever();
  }
  ::usleep(50'000);
}

void become_ready() {
  send(FrameType::hello, hello_text());
  send(FrameType::ready, "{}");
}

using Behaviour = void (*)();

const std::map<std::string_view, Behaviour> kBeforeReady{
    {"exits at once", [] { _exit(0); }},
    {"exits with 7 after hello",
     [] {
       send(FrameType::hello, hello_text());
       _exit(7);
     }},
    {"wrong build", [] { send(FrameType::hello, R"({"build": "0.0.0 protocol 0"})"); }},
    {"hello without a build", [] { send(FrameType::hello, "{}"); }},
    {"garbage", [] { write_raw(std::string(5000, '\xfe')); }},
    {"text instead of frames", [] { write_raw("Segmentation fault, core dumped\n"); }},
    {"huge length", [] { write_raw(std::string("\x17\0\0\0\xff\xff\xff\x7f", 8)); }},
    {"unknown frame", [] { send(static_cast<FrameType>(77), "{}"); }},
    {"result before ready", [] { send(FrameType::result, result_text(false)); }},
    {"never ready", [] { tick_forever(); }},
    {"an error before ready",
     [] { send(FrameType::error, error_text(Error(ErrorKind::unavailable, "the engine does not like mondays"))); }},
    {"silent from the start", [] {}},
    {"prints forever", [] { print_forever(); }},
    {"prints a megabyte",
     [] {
       print_a_megabyte();
       static_cast<void>(!::write(STDERR_FILENO, "the last words", 14));
       _exit(3);
     }},
    {"closes its pipe", [] { ::close(kFrames); }},
};

const std::map<std::string_view, Behaviour> kAfterReady{
    {"silent after ready", [] {}},
    {"a helper and silence", [] { start_a_helper(); }},
    {"ready twice", [] { send(FrameType::ready, "{}"); }},
    {"truncated result",
     [] {
       const std::string text = result_text(false);
       send(FrameType::result, text.substr(0, text.size() / 2));
     }},
    {"result of another shape", [] { send(FrameType::result, R"({"window_begin": "soon"})"); }},
    {"result with wrong sums", [] { send(FrameType::result, result_text(true)); }},
    {"half a result, then killed",
     [] {
       write_raw(encode_frame(FrameType::result, result_text(false)).substr(0, 100));
       ::raise(SIGKILL);
     }},
    {"ignores stop", [] { tick_forever(); }},
    {"malformed tick", [] { send(FrameType::tick, "[]"); }},
    {"killed", [] { ::raise(SIGKILL); }},
    {"two rows, then killed",
     [] {
       for (const int index : {0, 1}) {
         Interval row;
         row.index = index;
         row.duration = 1'000'000;
         row.directions[0].operations = 10;
         row.directions[0].bytes = 40960;
         row.directions[0].p50 = row.directions[0].p99 = row.directions[0].p999 = 5;
         send(FrameType::interval, interval_text(row));
       }
       ::raise(SIGKILL);
     }},
    {"a row that is missing",
     [] {
       Interval row;
       row.index = 1;
       row.duration = 1;
       send(FrameType::interval, interval_text(row));
     }},
    {"aborts", [] { std::abort(); }},
    {"segfaults",
     [] {
       std::signal(SIGSEGV, SIG_DFL);
       ::raise(SIGSEGV);
     }},
    {"a good result",
     [] {
       send(FrameType::result, result_text(false));
       _exit(0);
     }},
    {"a good result, then hangs", [] { send(FrameType::result, result_text(false)); }},
    {"a good result, then aborts",
     [] {
       send(FrameType::result, result_text(false));
       std::abort();
     }},
    {"a good result, then exits with 3",
     [] {
       send(FrameType::result, result_text(false));
       _exit(3);
     }},
    {"a good result, then a megabyte",
     [] {
       send(FrameType::result, result_text(false));
       print_a_megabyte();
       static_cast<void>(!::write(STDERR_FILENO, "the last words", 14));
       _exit(0);
     }},
};

}  // namespace

int main(int argc, char** argv) {
  const char* how = std::getenv("DISKPROOF_TEST_CHILD");
  if (how == nullptr || *how == '\0') return phase_child_main(argc, argv);
  if (const char* file = std::getenv("DISKPROOF_TEST_PIDS")) std::ofstream(file, std::ios::app) << ::getpid() << '\n';
  if (const auto found = kBeforeReady.find(how); found != kBeforeReady.end()) {
    found->second();
  } else {
    become_ready();
    kAfterReady.at(how)();
  }
  sleep_forever();
}
