// The run that shares are compared by, over two exports of a real server, one of which delays each request by 1 ms, and
// over two protocols.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>

#include "beds/nfs_case.hpp"
#ifdef DISKPROOF_SMB_BED
#include "beds/smb_case.hpp"
#endif
#include "integration/bench.hpp"
#include "integration/reports.hpp"

namespace diskproof::testing {

TEST_CASE("nas: the delayed one of two exports is seen beside the other, and fails its threshold") {
  const NfsServer server;
  if (skipped(server)) return;
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

#ifdef DISKPROOF_SMB_BED
TEST_CASE("nas: NFS and SMB are measured in turns, each by its own engine, and one is held against the other") {
  const NfsServer nfs;
  const SmbServer smb;
  if (skipped(nfs) || skipped(smb)) return;
  const Bench bench;
  const Finished run = bench.run(
      fmt::format(
          "diskproof: 1\nname: protocols\ndisks:\n  over_nfs: {{url: \"{}\", limits: {{link: {{read.bandwidth: "
          "10Gbit/s}}}}}}\n  over_smb: {{url: \"{}\"}}\n"
          "defaults: {{threads: 2, size: 1MiB, block_size: 4KiB, duration: 1s, access: random, operations: read}}\n"
          "phases:\n"
          "  - name: compare\n"
          "    rounds: {{count: 2}}\n"
          "    phases:\n"
          "      - {{name: nfs, disk: over_nfs, engine: nfs}}\n"
          "      - {{name: smb, disk: over_smb, {}, thresholds: [total.iops >= 1000% of phase nfs]}}\n",
          NfsServer::url("disk"), SmbServer::url("disk"), smb_engine()),
      {}, std::chrono::seconds(120));
  INFO(run.out, run.err);
  CHECK(run.code == 1);
  const Result result(bench);
  CHECK(result.outcome("nfs") == "pass");
  CHECK(result.outcome("smb") == "fail");
  for (const char* phase : {"nfs", "smb"}) CHECK(result.metric(phase, "read.operations") > 100);
  CHECK(has(run.out, "nfs: read "));
  CHECK(has(run.out, " % of the link ("));
}
#endif

}  // namespace diskproof::testing
