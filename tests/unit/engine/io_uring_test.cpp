// io_uring: options, what the ring got, the operations that only it has, cancel, and the reasons when it is forbidden.
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "engine/options.hpp"
#include "kernel_bench.hpp"

using namespace diskproof;
using namespace diskproof::testing;

namespace {

constexpr std::uint64_t kSize = 1 << 20;

std::string names_folder;  // made where nothing is forbidden yet

// "made" when the engine could make a folder by its name.
std::string made_by(const char* engine) {
  ManualHost host;
  Bench bench(engine, host, {.target = writable(names_folder + "/data", 4096)});
  const std::string path = names_folder + "/" + engine;
  dp_name_op op{};
  op.op = DP_NAME_MKDIR;
  op.path = path.c_str();
  if (bench.queue().calls().submit_names({&op, 1}) != 1) return "not taken";
  const auto done = bench.reap(1, 1, 10'000'000'000);
  if (done.size() != 1 || done[0].result != 0) return "failed";
  return std::filesystem::is_directory(path) ? "made" : "not there";
}

std::string probe_text() {
  const ManualHost host;
  dp_error error{};
  const std::int32_t status = Library::load(built_engine("io_uring"), host.table()).api().probe(&error);
  return std::to_string(status) + " " + error.text;
}

}  // namespace

TEST_CASE("io_uring: options change what the ring got, and data still arrives") {
  if (!usable("io_uring")) return;
  const TempFolder folder;
  const std::string path = folder.file("data", kSize, 'q');
  struct Row {
    std::map<std::string, std::string> options;
    const char* part;
    bool expected;
  };
  for (const Row& row :
       {Row{{}, "fixed files, fixed buffers", true}, Row{{{"fixed_buffers", "on"}}, "fixed buffers", true},
        Row{{{"registered_files", "on"}}, "fixed files", true}, Row{{{"fixed_buffers", "off"}}, "buffers", false},
        Row{{{"registered_files", "off"}}, "files", false},
        Row{{{"sqpoll", "true"}, {"sqpoll_idle", "5000000"}}, "ring: sqpoll", true}}) {
    const std::string given = row.options.empty() ? "none" : row.options.begin()->first;
    CAPTURE(given);
    ManualHost host;
    Bench bench("io_uring", host, {.depth = 16, .target = writable(path, kSize), .options = row.options});
    const std::string description = bench.queue().target_info(0).description;
    CAPTURE(description);
    CHECK(has(description, row.part) == row.expected);
    CHECK(has(description, "ring: "));
    for (std::uint32_t round = 0; round < 20; ++round) {
      std::vector<dp_io> ios;
      for (std::uint32_t tag = 0; tag < 16; ++tag) {
        ios.push_back(bench.io(tag % 3 == 0 ? DP_OP_WRITE : DP_OP_READ, tag, (round + tag) * 4096));
        std::memset(bench.buffer(tag), tag % 3 == 0 ? 'q' : '\0', 4096);
      }
      for (const auto& [tag, done] : run_all(bench, ios)) {
        CHECK(done.result == 4096);
        CHECK(bench.buffer(tag)[4095] == 'q');
      }
    }
  }
}

TEST_CASE("io_uring: buffers that cannot be registered are told by auto and refused by on") {
  if (!usable("io_uring")) return;
  const TempFolder folder;
  const std::string path = folder.file("data", 4096, 'n');
  void* forbidden = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(forbidden != MAP_FAILED);
  ManualHost host;
  for (const char* mode : {"auto", "on"}) {
    CAPTURE(mode);
    Engine engine(Library::load(built_engine("io_uring"), host.table()), {{"fixed_buffers", mode}});
    std::string text;
    try {
      Queue queue(
          engine,
          {.depth = 1, .max_length = 4096, .targets = {{.spec = path, .size = 4096}}, .regions = {{forbidden, 4096}}});
      text = queue.target_info(0).description;
      char byte = 0;
      dp_io io{};
      io.data = &byte;
      io.length = 1;
      REQUIRE(queue.calls().submit(std::span(&io, 1)) == 1);
      dp_done done{};
      REQUIRE(queue.calls().reap(std::span(&done, 1), 1, 1'000'000'000) == 1);
      CHECK(byte == 'n');
    } catch (const Error& error) {
      text = error.what();
    }
    CAPTURE(text);
    CHECK(has(text, std::strcmp(mode, "on") == 0 ? "fixed_buffers: on" : "buffers not registered (Bad address)"));
  }
  ::munmap(forbidden, 4096);
}

TEST_CASE("io_uring: options that do not fit are refused before the queue opens") {
  if (!usable("io_uring")) return;
  const ManualHost host;
  const EngineInfo info = describe(Library::load(built_engine("io_uring"), host.table()));
  struct Row {
    const char* key;
    const char* value;
  };
  for (const Row& row : {Row{"fixed_buffers", "maybe"}, Row{"registered_files", "true"}, Row{"sqpoll", "yes"},
                         Row{"sqpoll_idle", "10us"}, Row{"iopoll", "2"}, Row{"sqpol", "true"}}) {
    CAPTURE(row.key);
    CHECK(resolve_options(info, {{row.key, row.value}}).faults.size() == 1);
  }
  CHECK(resolve_options(info, {{"sqpoll_idle", "10ms"}}).values.at("sqpoll_idle") == "10000000");
}

TEST_CASE("io_uring: iopoll without direct I/O or polled queues is refused when the queue opens") {
  if (!usable("io_uring")) return;
  const TempFolder folder;
  const std::string path = folder.file("data", kSize);
  const Bench::Setup buffered{.target = writable(path, kSize), .options = {{"iopoll", "true"}}};
  CHECK(has(open_failure("io_uring", buffered), "polling needs direct I/O"));
  ManualHost host;
  try {
    Bench bench("io_uring", host,
                {.depth = 4, .target = writable(path, kSize, DP_TARGET_DIRECT), .options = {{"iopoll", "true"}}});
    CHECK(bench.run(bench.io(DP_OP_READ, 0)).result == 4096);
    CHECK(bench.run(bench.io(DP_OP_FSYNC, 0)).result == 0);
  } catch (const Error& error) {
    const std::string text = error.what();
    CAPTURE(text);
    CHECK(has(text, "iopoll on " + path));
    CHECK((has(text, "polled queues") || has(text, "open ")));
  }
}

TEST_CASE("io_uring: trimmed and zeroed ranges of a file read as zeroes and count their bytes") {
  if (!usable("io_uring")) return;
  ManualHost host;
  const TempFolder folder;
  Bench bench("io_uring", host, {.depth = 2, .target = writable(folder.file("data", 16384), 16384)});
  REQUIRE(bench.run(bench.io(DP_OP_TRIM, 0, 4096)).result == 4096);
  const dp_done zeroed = bench.run(bench.io(DP_OP_WRITE_ZEROES, 1, 8192));
  CHECK((zeroed.result == 4096 || zeroed.result == -DP_ENOTSUP));
  CHECK(bench.run(bench.io(DP_OP_READ, 0, 4096)).result == 4096);
  CHECK(bench.buffer(0)[4095] == '\0');
  CHECK(bench.run(bench.io(DP_OP_READ, 1, 8192)).result == 4096);
  CHECK(bench.buffer(1)[0] == (zeroed.result == 4096 ? '\0' : 'x'));
  CHECK(bench.run(bench.io(DP_OP_READ, 0, 12288)).result == 4096);
  CHECK(bench.buffer(0)[0] == 'x');
}

TEST_CASE("io_uring: a cancelled I/O completes once and the cancel itself is not seen") {
  if (!usable("io_uring")) return;
  ManualHost host;
  const TempFolder folder;
  Bench bench("io_uring", host, {.depth = 4, .target = writable(folder.file("data", kSize), kSize)});
  for (int round = 0; round < 50; ++round) {
    REQUIRE(bench.submit({bench.io(DP_OP_TRIM, 0, 0), bench.io(DP_OP_READ, 1), bench.io(DP_OP_FSYNC, 2)}) == 3);
    for (const std::uint32_t tag : {2u, 0u, 1u, 3u, 2u, 0u}) CHECK(bench.queue().calls().cancel(tag) == 0);
    std::map<std::uint32_t, dp_done> completions;
    for (int calls = 0; completions.size() < 3 && calls < 1000; ++calls)
      for (const dp_done& done : bench.reap(8, 1, 1'000'000'000)) {
        CHECK(completions.emplace(done.tag, done).second);
        CHECK((done.result >= 0 || done.result == -DP_ECANCELED));
      }
    CHECK(completions.size() == 3);
    CHECK(bench.queue().calls().cancel(1) == 0);
    CHECK(bench.reap(8, 0, 0).empty());
    CHECK(bench.reap(8, 0, 0).empty());
  }
}

TEST_CASE("io_uring: the deepest queue opens and a deeper one is refused") {
  if (!usable("io_uring")) return;
  ManualHost host;
  const TempFolder folder;
  const TargetSpec target = writable(folder.file("data", kSize), kSize);
  Bench bench("io_uring", host, {.depth = 32768, .target = target, .block = 512});
  std::vector<dp_io> reads;
  for (std::uint32_t tag = 0; tag < 32768; ++tag) reads.push_back(bench.io(DP_OP_READ, tag, tag % 2048 * 512));
  CHECK(bench.submit(reads) == 32768);
  std::size_t count = 0;
  for (int calls = 0; count < 32768 && calls < 100'000; ++calls)
    for (const dp_done& done : bench.reap(4096, 1, 1'000'000'000)) count += done.result == 512 ? 1 : 0;
  CHECK(count == 32768);
  CHECK(open_failure("io_uring", {.depth = 32769, .target = target, .block = 1}) != "opened");
}

TEST_CASE("io_uring: a filter that forbids it makes it unavailable with that reason") {
  if (!usable("io_uring")) return;
  std::string disabled;
  std::ifstream("/proc/sys/kernel/io_uring_disabled") >> disabled;
  for (const int error : {EPERM, ENOSYS}) {
    CAPTURE(error);
    const std::string text = under_filter(SYS_io_uring_setup, error, probe_text);
    CAPTURE(text);
    CHECK(has(text, "-" + std::to_string(DP_ENOTSUP) + " io_uring_setup"));
    CHECK(has(text, disabled == "0" || disabled.empty() ? "seccomp" : "io_uring"));
  }
}

TEST_CASE("io_uring: names go through the ring, past a filter that forbids the plain call") {
  if (!usable("io_uring")) return;
  const TempFolder folder;
  (void)folder.file("data", 4096);
  names_folder = folder.path().string();
  CHECK(under_filter(SYS_mkdirat, EPERM, [] { return made_by("sync"); }) == "failed");
  CHECK(under_filter(SYS_mkdirat, EPERM, [] { return made_by("io_uring"); }) == "made");
}
