// Another program as a test runs it: started with its own environment, folder and output files, waited for with a
// limit, never left behind.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace diskproof::testing {

// What a shell would say: the exit code, or 128 + the signal that ended it. kStillRunning when the limit passed.
inline constexpr int kStillRunning = -1;

struct Launch {
  std::vector<std::string> arguments;              // the program first, found in PATH when it has no slash
  std::map<std::string, std::string> environment;  // set over the test's own
  std::string folder;                              // working directory
  std::string out, err;                            // files for stdout and stderr
};

class Program {
 public:
  explicit Program(Launch launch);
  ~Program();  // kills it if it still runs
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  int wait(std::chrono::milliseconds limit);
  [[nodiscard]] bool running() { return wait(std::chrono::milliseconds(0)) == kStillRunning; }
  void signal(int number) const;
  void signal_group(int number) const;  // all processes of its group, which is its own, by one call
  [[nodiscard]] int pid() const noexcept { return pid_; }
  [[nodiscard]] const Launch& launch() const noexcept { return launch_; }

 private:
  const Launch launch_;
  int pid_ = -1;
  int ending_ = kStillRunning;
};

// Processes, by id.
std::vector<int> children_of(int pid);
std::vector<int> processes_with_environment(const std::string& text);  // whose environment holds `text`
void kill_process(int pid);                                            // SIGKILL
bool is_alive(int pid);                                                // a zombie is not
bool catches(int pid, int signal);                                     // has a handler for it

}  // namespace diskproof::testing
