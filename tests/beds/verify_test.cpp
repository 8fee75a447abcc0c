// Stamped data on disks that do wrong below the file system: bits that flip on their way, an image that is cut off, and
// a sound one under a mixed load.
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>

#include "beds/loop_disk.hpp"
#include "beds/slow_disk.hpp"
#include "integration/loops.hpp"
#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

namespace fs = std::filesystem;

std::string job(const std::string& disk, const std::string& phases) {
  return fmt::format(
      "diskproof: 1\nname: verified\ndisks: {{d: {{{}, fill: true}}}}\ndefaults: {{disk: d, engine: [io_uring, "
      "libaio], "
      "direct: true, access: random, operations: write, findings: {{verify_limited: ignore}}}}\nphases:\n{}",
      disk, phases);
}

// A loop device with a file system of its own, mounted for as long as this object lives.
class MountedLoop {
 public:
  explicit MountedLoop(std::uint64_t size) : loop_(size), fault_(loop_.fault()) {
    if (!fault_.empty()) return;
    if (const ToolRun made = run_tool({"mkfs.ext4", "-q", "-O", "^has_journal", loop_.device()}); made.code != 0) {
      fault_ = "mkfs.ext4: " + made.text;
      return;
    }
    fs::create_directory(folder());
    mount();
  }
  ~MountedLoop() { unmount(); }
  MountedLoop(const MountedLoop&) = delete;
  MountedLoop& operator=(const MountedLoop&) = delete;

  [[nodiscard]] const std::string& fault() const noexcept { return fault_; }
  [[nodiscard]] std::string folder() const { return loop_.folder().path("mounted"); }
  [[nodiscard]] std::string image() const { return loop_.image(); }
  void mount() {
    const ToolRun run = run_tool({"mount", loop_.device(), folder()});
    mounted_ = run.code == 0;
    if (!mounted_) fault_ = "mount: " + run.text;
  }
  void unmount() {
    if (mounted_) run_tool({"umount", folder()});
    mounted_ = false;
  }

 private:
  LoopDisk loop_;
  std::string fault_;
  bool mounted_ = false;
};

bool skipped(const std::string& fault) {
  if (!fault.empty()) MESSAGE("skipped: ", fault);
  return !fault.empty();
}

}  // namespace

TEST_CASE("verify bed: bits that flip on the way back are corrupt, while writing and in a check") {
  SlowDisk disk;
  if (skipped(disk.fault())) return;
  const Bench bench;
  const std::string name = "file: " + disk.path("t.dat") + ", keep: true";
  const Finished wrote =
      bench.run(job(name,
                    "  - {name: load, size: 16MiB, layout: none, block_size: {4KiB: 50%, 64KiB: 50%}, queue_depth: 8, "
                    "operations_count: 400, verify: write}\n  - {name: check, verify: {of: load}}\n"));
  INFO(wrote.out, wrote.err);
  REQUIRE(wrote.code == 0);
  fs::copy_file(bench.path("out/load.manifest"), bench.path("load.manifest"));

  disk.set("flip_every", 5);
  const Finished later = bench.run(job(name, "  - {name: later, verify: {manifest: load.manifest}}\n"));
  INFO(later.out, later.err);
  CHECK(later.code == 1);
  const Result result(bench);
  const double corrupt = result.metric("later", "verify.corrupt");
  CHECK(corrupt > 0);
  CHECK(result.metric("later", "verify.bytes") + corrupt == result.metric("later", "verify.expected"));

  const Finished during =
      bench.run(job(name,
                    "  - {name: load, size: 16MiB, layout: none, block_size: 64KiB, queue_depth: 8, "
                    "operations_count: 200, verify: {write: true, during: 50%}}\n"));
  INFO(during.out, during.err);
  CHECK(during.code == 1);
  CHECK(Result(bench).metric("load", "verify.corrupt") > 0);
}

TEST_CASE("verify bed: a mixed load on a loop with ext4 has no fault, and what is cut off the image later is found") {
  const int seeds = std::getenv("DISKPROOF_LONG") != nullptr ? 20 : 3;
  MountedLoop disk(std::uint64_t{160} << 20);
  if (skipped(disk.fault())) return;
  const Bench bench;
  const std::string name = "directory: " + disk.folder() + ", keep: true";
  for (int seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    const Finished run = bench.run(
        job(name, fmt::format("  - {{name: load, size: 64MiB, layout: allocated, block_size: {{512B: 40%, 4KiB: 30%, "
                              "64KiB: 25%, 1MiB: 5%}}, queue_depth: 32, seed: {}, operations_count: 1000, fsync: "
                              "{{every: 50, end: true}}, verify: {{write: true, during: 10%}}}}\n"
                              "  - {{name: check, verify: {{of: load}}}}\n",
                              seed)));
    INFO(run.out, run.err);
    REQUIRE(run.code == 0);
  }
  fs::copy_file(bench.path("out/load.manifest"), bench.path("load.manifest"));
  const std::string later = job(name, "  - {name: later, verify: {manifest: load.manifest}}\n");
  disk.unmount();
  disk.mount();
  REQUIRE(disk.fault() == "");
  const Finished sound = bench.run(later);
  INFO(sound.out, sound.err);
  CHECK(sound.code == 0);

  fs::resize_file(disk.image(), std::uint64_t{48} << 20);  // under the mounted file system
  const Finished cut = bench.run(later);
  INFO(cut.out, cut.err);
  CHECK(cut.code == 1);
  const Result result(bench);
  const double gone = result.metric("later", "verify.unreadable") + result.metric("later", "verify.lost");
  CHECK(gone > 0);
  CHECK(result.metric("later", "verify.bytes") > 0);
  CHECK(result.metric("later", "verify.bytes") + gone == result.metric("later", "verify.expected"));
  CHECK(cut.out.find("at byte ") != std::string::npos);
  fs::resize_file(disk.image(), std::uint64_t{160} << 20);
}

}  // namespace diskproof::testing
