// Runs a program of the system, such as mkfs: by its arguments, without a shell, with nothing to read, its output kept.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace diskproof {

struct ToolRun {
  std::vector<std::string> argv;  // the program by its name, found in the system's folders
  double timeout = 600;           // seconds
  std::function<bool()> stopped;  // asked several times a second; may be empty
};

// What the program printed, at most the last 16 KiB. Throws Error{unavailable} where there is no such program, else
// Error{failed} that quotes what it said: it failed, ran out of time (and was killed), or was stopped.
std::string run_tool(const ToolRun& run);

}  // namespace diskproof
