// The program as a user without rights: what needs none runs, everything else names the right that is missing.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fstream>

#include "beds/loop_disk.hpp"
#include "integration/bench.hpp"
#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

const std::vector<std::string> kNobody{"setpriv", "--reuid=nobody", "--clear-groups"};

std::vector<std::string> as_nobody(const std::vector<std::string>& command) {
  std::vector<std::string> all = kNobody;
  all.insert(all.end(), command.begin(), command.end());
  return all;
}

// `command` with the bench's job, which belongs to nobody, as its folder does.
Finished run_as_nobody(const Bench& bench, const std::string& command, std::vector<std::string> more) {
  std::vector<std::string> arguments = as_nobody({DISKPROOF_BINARY, command, bench.path("job.yaml")});
  arguments.insert(arguments.end(), more.begin(), more.end());
  REQUIRE(run_tool({"chown", "-R", "nobody", bench.folder().path()}).code == 0);
  Program program(Launch{arguments,
                         {{"XDG_STATE_HOME", bench.path("state")}},
                         bench.path("work"),
                         bench.path("ended.out"),
                         bench.path("ended.err")});
  return bench.finish(program);
}

bool nobody_reaches_the_program() {
  const ToolRun run = run_tool(as_nobody({DISKPROOF_BINARY, "--version"}));
  if (run.code != 0) MESSAGE("skipped: nobody cannot run the program, ", run.text);
  return run.code == 0;
}

}  // namespace

TEST_CASE("unprivileged: jobs on files run, and every other one names the right that is missing") {
  const LoopDisk loop(4 << 20);
  if (!loop.fault().empty()) {
    MESSAGE("skipped: no loop device, ", loop.fault());
    return;
  }
  if (!nobody_reaches_the_program()) return;
  struct Row {
    const char* name;
    std::string disk;
    int code;
    const char* says;
  };
  for (const Row& row : std::vector<Row>{
           {"file", "file: t.dat, fill: true", 0, ""},
           {"directory", "directory: ., fill: true", 0, ""},
           {"virtual", "virtual: {size: 1GiB}", 0, ""},
           {"device", fmt::format("device: {}, destroy: true", loop.device()), 2,
            "it takes the right to read and write it, which root has as a rule"},
           {"loop", "loop: {image: l.img, size: 64MiB}, fill: true", 2, "loop devices take root's rights"},
           {"mount", "mount: {source: \"127.0.0.1:/x\", type: nfs4}", 2, "mounting takes root's rights"},
       }) {
    CAPTURE(row.name);
    const Bench bench;
    const bool is_virtual = std::string(row.name) == "virtual";
    bench.folder().write(
        "job.yaml",
        fmt::format("diskproof: 1\nname: plain\ndisks: {{d: {{{}}}}}\nphases: [{{name: w, disk: d, engine: {}, size: "
                    "1MiB, operations: write, operations_count: 10, findings: {{on_tmpfs: ignore}}}}]\n",
                    row.disk, is_virtual ? "\"null\"" : "sync"));
    const std::vector<std::string> consent =
        row.disk.starts_with("device") ? std::vector<std::string>{"--allow-destroy", "d"} : std::vector<std::string>{};
    std::vector<std::string> options{"--out", bench.path("out")};
    options.insert(options.end(), consent.begin(), consent.end());
    const Finished run = run_as_nobody(bench, "run", options);
    INFO(run.out, run.err);
    CHECK(run.code == row.code);
    CHECK(Result(bench).reason("w").find(row.says) != std::string::npos);
    CHECK(joined(bench.leftovers()) == "");
    if (!consent.empty()) CHECK(run_as_nobody(bench, "plan", consent).code == 2);
  }
}

}  // namespace diskproof::testing
