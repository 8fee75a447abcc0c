// A folder in which the real program runs: job file, output, working directory and undo journal of its own, and ways to
// look at what it left.
#pragma once

#include <chrono>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "integration/program.hpp"
#include "support/temp_folder.hpp"

namespace diskproof::testing {

// Far beyond what a loaded machine needs: a limit is for what hangs, no measure of speed.
inline constexpr std::chrono::seconds kPatience{60};

struct Finished {
  int code = kStillRunning;  // kStillRunning: it had to be killed
  std::string out, err;
};

// Below folder(): job.yaml, out/ (reports), work/ (working directory), state/ (undo journal).
class Bench {
 public:
  Bench();

  [[nodiscard]] const TempFolder& folder() const noexcept { return folder_; }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.path(name); }
  [[nodiscard]] std::string file(const std::string& name) const { return path("work/" + name); }

  // `diskproof` with these arguments, to its end.
  Finished diskproof(const std::vector<std::string>& arguments, std::chrono::seconds limit = kPatience) const;
  // Writes the job and runs it with `--out <folder>/out` and `more`.
  Finished run(const std::string& job, const std::vector<std::string>& more = {},
               std::chrono::seconds limit = kPatience) const;
  // The same without waiting, with events (--json) on stdout.
  std::unique_ptr<Program> start(const std::string& job) const;
  Finished finish(Program& program, std::chrono::seconds limit = kPatience) const;
  // Until stdout of a started run holds `text`; false when the program ends or the limit passes before.
  bool wait_for(Program& program, const std::string& text, std::chrono::seconds limit = kPatience) const;

  // What is where nothing should be after a run: files of the working directory, foreign files beside the reports,
  // entries of the undo journal, processes.
  [[nodiscard]] std::vector<std::string> leftovers() const;
  [[nodiscard]] std::vector<int> processes() const;  // of this bench that still run

 private:
  // Its output goes to files called `output`: a program that runs and one that is run meanwhile have their own.
  [[nodiscard]] Launch launch(std::vector<std::string> arguments, const std::string& output) const;

  TempFolder folder_;
};

// "a, b" for messages and comparisons.
std::string joined(const std::vector<std::string>& words);

// The file's bytes as a number, to see whether it changed.
std::uint64_t content_hash(const std::string& path);

}  // namespace diskproof::testing
