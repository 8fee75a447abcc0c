// The run that shares are compared by, over two exports of a real server, one of which delays each request by 1 ms.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>

#include "beds/nfs_server.hpp"
#include "integration/bench.hpp"
#include "integration/reports.hpp"

namespace diskproof::testing {

TEST_CASE("nas: the delayed one of two exports is seen beside the other, and fails its threshold") {
  const NfsServer server;
  if (!server.fault().empty()) {
    MESSAGE("skipped: no NFS server, ", server.fault());
    return;
  }
  const Bench bench;
  const Finished run = bench.run(
      fmt::format("diskproof: 1\nname: nas\ndisks:\n  fast: {{url: \"{}\"}}\n  slow: {{url: \"{}\"}}\n"
                  "defaults: {{engine: nfs, direct: true, threads: 8, size: 1MiB, block_size: 4KiB, duration: 500ms}}\n"
                  "phases:\n"
                  "  - name: compare\n"
                  "    matrix: {{access: [random, sequential], operations: [read, write, {{read: 50%, write: 50%}}]}}\n"
                  "    rounds: {{count: 2}}\n"
                  "    phases:\n"
                  "      - {{name: fast, disk: fast}}\n"
                  "      - name: slow\n"
                  "        disk: slow\n"
                  "        thresholds:\n"
                  "          - total.iops >= 90% of phase fast/access=${{access}}/operations=${{operations}}\n"
                  "          - total.latency.min <= 150% of phase fast/access=${{access}}/operations=${{operations}}\n",
                  NfsServer::url("mem"), NfsServer::url("slow")),
      {}, std::chrono::seconds(150));
  INFO(run.out, run.err);
  CHECK(run.code == 1);
  const Result result(bench);
  int cells = 0;
  for (const char* access : {"random", "sequential"}) {
    for (const char* operations : {"read", "write", "r50w50"}) {
      const std::string cell = fmt::format("/access={}/operations={}", access, operations);
      CAPTURE(cell);
      CHECK(result.outcome("fast" + cell) == "pass");
      CHECK(result.outcome("slow" + cell) == "fail");
      CHECK(result.metric("slow" + cell, "total.latency.min") > 0.9e6);  // the server's own delay
      CHECK(run.out.find("slow" + cell) > run.out.find("fast" + cell));
      ++cells;
    }
  }
  CHECK(cells == 6);
}

}  // namespace diskproof::testing
