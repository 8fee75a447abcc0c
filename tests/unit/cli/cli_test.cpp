// Commands that need no engine, by their exit codes and what they print.
#include "cli/cli.hpp"

#include <doctest/doctest.h>
#include <sstream>

#include "support/temp_folder.hpp"

namespace diskproof {
namespace {

struct Ran {
  int code = 0;
  std::string out, err;
};

Ran run(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  Terminal terminal{out, err, false};
  Ran ran;
  ran.code = run_cli(arguments, terminal);
  ran.out = out.str();
  ran.err = err.str();
  return ran;
}

constexpr const char* kGoodJob = R"(diskproof: 1
name: good
disks:
  data: {virtual: {size: 1GiB}}
defaults: {engine: "null"}
phases:
  - {name: p, disk: data, duration: 1s, operations: read, thresholds: [read.iops >= 1]}
)";

TEST_CASE("cli: the kind of an error is the exit code") {
  CHECK(exit_code_of(ErrorKind::bad_job) == ExitCode::bad_job);
  CHECK(exit_code_of(ErrorKind::refused) == ExitCode::refused);
  CHECK(exit_code_of(ErrorKind::unavailable) == ExitCode::error);
  CHECK(exit_code_of(ErrorKind::failed) == ExitCode::error);
}

TEST_CASE("cli: usage errors end with 3 and print on stderr only") {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, {"nonsense"}, {"run"}, {"run", "a.yaml", "--wrong"}, {"run", "unknown-preset"}}) {
    const Ran ran = run(arguments);
    CHECK(ran.code == 3);
    CHECK(ran.out == "");
    CHECK(ran.err.starts_with("diskproof: "));
  }
}

TEST_CASE("cli: check passes good jobs and places the faults of others") {
  const TempFolder folder;
  const std::string good = folder.write("good.yaml", kGoodJob);
  std::string text = kGoodJob;
  text.replace(text.find("read.iops"), 9, "read.iosp");
  const std::string bad = folder.write("bad.yaml", text);
  CHECK(run({"check", good}).code == 0);
  CHECK(run({"check", good}).out == good + ": good, 1 phase\n");
  const Ran ran = run({"check", good, bad});
  CHECK(ran.code == 3);
  CHECK(ran.out == good + ": good, 1 phase\n");
  CHECK(ran.err.find(bad + ":7:") != std::string::npos);
  CHECK(ran.err.find("did you mean read.iops?") != std::string::npos);
  CHECK(run({"check", folder.path("missing.yaml")}).code == 3);
}

TEST_CASE("cli: the job schema is the reader's own") {
  const Ran ran = run({"schema"});
  CHECK(ran.code == 0);
  CHECK(ran.out.find("\"$schema\"") != std::string::npos);
}

TEST_CASE("cli: a stdout that cannot be written is not a pass") {
  std::ostringstream err;
  std::ostream broken(nullptr);
  Terminal terminal{broken, err, false};
  CHECK(run_cli({"--version"}, terminal) == 2);
  CHECK(err.str().find("cannot write to stdout") != std::string::npos);
}

}  // namespace
}  // namespace diskproof
