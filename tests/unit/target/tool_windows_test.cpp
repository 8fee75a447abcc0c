// Programs of Windows run for real: what they say is kept, and a failure quotes it.
#include <doctest/doctest.h>

#include "support/error.hpp"
#include "target/tool.hpp"

namespace diskproof {
namespace {

std::string failure_of(const ToolRun& run, ErrorKind kind) {
  try {
    run_tool(run);
  } catch (const Error& error) {
    CHECK(error.kind() == kind);
    return error.what();
  }
  return "";
}

TEST_CASE("Windows tool: its output is kept, with plain line ends") {
  CHECK(run_tool({.argv = {"cmd.exe", "/c", "echo one& echo two"}, .timeout = 60, .stopped = {}}) == "one\ntwo\n");
}

TEST_CASE("Windows tool: a failure quotes what was said on both streams") {
  const std::string text =
      failure_of({.argv = {"cmd.exe", "/c", "echo out& echo access denied 1>&2& exit 7"}, .timeout = 60, .stopped = {}},
                 ErrorKind::failed);
  CHECK(text.find("ended with exit code 7: out\n") != std::string::npos);
  CHECK(text.find("access denied") != std::string::npos);
}

TEST_CASE("Windows tool: a program that is not in the folder of the system is not looked for elsewhere") {
  CHECK(failure_of({.argv = {"no-such-tool.exe"}, .timeout = 60, .stopped = {}}, ErrorKind::unavailable) ==
        "there is no program no-such-tool.exe on this machine");
}

TEST_CASE("Windows tool: one that does not end is ended, by its time and by the user") {
  const std::vector<std::string> endless{"cmd.exe", "/c", "for /L %i in (0,0,1) do @rem"};
  CHECK(failure_of({.argv = endless, .timeout = 0.5, .stopped = {}}, ErrorKind::failed).find("did not end within") !=
        std::string::npos);
  CHECK(failure_of({.argv = endless, .timeout = 60, .stopped = [] { return true; }}, ErrorKind::failed)
            .find("was stopped") != std::string::npos);
}

}  // namespace
}  // namespace diskproof
