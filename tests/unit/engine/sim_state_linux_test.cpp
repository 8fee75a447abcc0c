// What the simulated disk carries from one phase to the next: content, credits, the cliff; through the end of a
// process, however it comes.
#include <csignal>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "bench.hpp"

using namespace diskproof;
using namespace diskproof::testing;

namespace {

using Options = std::map<std::string, std::string>;
constexpr std::uint64_t kSecond = 1'000'000'000;
const Options kContent{{"content", "true"}};

// A phase on the disk `name`, whose state lies in `folder`.
class Phase {
 public:
  Phase(const TempFolder& folder, const Options& options, std::uint64_t now = 0, const std::string& name = "d") {
    host_.keep_in(folder.path().string());
    host_.set(now);
    bench_.emplace("sim", host_,
                   Bench::Setup{.depth = 4, .target = {.spec = name, .size = 1 << 20}, .options = options});
  }
  dp_done write(std::uint64_t offset, char letter) {
    std::fill_n(bench_->buffer(0), 4096, letter);
    return bench_->run(bench_->io(DP_OP_WRITE, 0, offset));
  }
  std::string read(std::uint64_t offset) {
    std::fill_n(bench_->buffer(1), 4096, '?');
    CHECK(bench_->run(bench_->io(DP_OP_READ, 1, offset)).result == 4096);
    return {bench_->buffer(1), 4096};
  }
  dp_done run(dp_op op) { return bench_->run(bench_->io(op, 0)); }
  Bench& bench() { return *bench_; }

 private:
  ManualHost host_;
  std::optional<Bench> bench_;
};

std::string block(char letter) { return std::string(4096, letter); }

}  // namespace

TEST_CASE("sim state: content survives the phase, and without content nothing is kept and buffers stay") {
  const TempFolder folder;
  {
    Phase phase(folder, kContent);
    CHECK(phase.write(777, 'a').result == 4096);
    CHECK(phase.read(777) == block('a'));
  }
  CHECK(Phase(folder, kContent).read(777) == block('a'));
  CHECK(Phase(folder, kContent, 0, "other").read(777) == block('\0'));
  CHECK(Phase(folder, {}).read(777) == block('?'));
}

TEST_CASE("sim state: content survives a process that is killed in the middle of its work") {
  const TempFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    Phase phase(folder, kContent);
    phase.write(4096, 'k');
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  CHECK(Phase(folder, kContent).read(4096) == block('k'));
}

TEST_CASE("sim state: failed, short and stuck writes move what they say they moved") {
  const TempFolder folder;
  Options options = kContent;
  options["error_at"] = "1";
  options["short_at"] = "2";
  options["stuck_at"] = "3";
  Phase phase(folder, options);
  CHECK(phase.write(0, 'e').result == -DP_EIO);
  CHECK(phase.write(4096, 's').result == 2048);
  REQUIRE(phase.bench().submit({phase.bench().io(DP_OP_WRITE, 0, 8192)}) == 1);
  CHECK(phase.bench().queue().calls().cancel(0) == 0);
  CHECK(phase.bench().reap(1, 1, kSecond).size() == 1);
  CHECK(phase.read(0) == block('\0'));
  CHECK(phase.read(4096) == std::string(2048, 's') + std::string(2048, '\0'));
  CHECK(phase.read(8192) == block('\0'));
}

TEST_CASE("sim state: only the chosen writes go wrong") {
  struct Row {
    const char* name;
    Options options;
    std::string lost;  // a letter per write, x where it is lost
  };
  const Row rows[] = {
      {"every third", {{"fault_every", "3"}}, "..x..x.."},
      {"one", {{"fault_at", "4"}}, "...x...."},
      {"a range", {{"fault_offset", "8192"}, {"fault_length", "4097"}}, "..xx...."},
      {"the second of a range", {{"fault_offset", "8192"}, {"fault_length", "9000"}, {"fault_at", "2"}}, "...x...."},
      {"all", {}, "xxxxxxxx"}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const TempFolder folder;
    Options options = row.options;
    options["content"] = "true";
    options["fault"] = "lost";
    Phase phase(folder, options);
    std::string lost;
    for (std::uint64_t i = 0; i < 8; ++i) {
      CHECK(phase.write(i * 4096, 'w').result == 4096);
      CHECK(phase.run(DP_OP_FSYNC).result == 0);  // not counted
      lost += phase.read(i * 4096) == block('w') ? '.' : 'x';
    }
    CHECK(lost == row.lost);
  }
}

TEST_CASE("sim state: a disk with a volatile cache loses what was not flushed when its process ends") {
  const TempFolder folder;
  Options options = kContent;
  options["fault"] = "lost_unless_flushed";
  {
    Phase phase(folder, options);
    phase.write(0, 'f');
    CHECK(phase.run(DP_OP_FSYNC).result == 0);
    phase.write(4096, 'u');
    CHECK(phase.read(4096) == block('u'));
  }
  Phase later(folder, options);
  CHECK(later.read(0) == block('f'));
  CHECK(later.read(4096) == block('\0'));
}

TEST_CASE("sim state: credits that a phase spent are missing in the next, until they have come back") {
  const Options options{{"service_time", "0"},
                        {"total_iops", "10"},
                        {"total_iops_burst", "1000"},
                        {"total_iops_credits", "99"}};  // 100 operations in 0.1 s
  const TempFolder folder;
  std::uint64_t last = 0;
  {
    Phase phase(folder, options);
    for (int i = 0; i < 100; ++i) last = phase.run(DP_OP_READ).ticks;
    CHECK(last == 99'000'000);
  }
  {
    Phase phase(folder, options, kSecond / 10);
    phase.run(DP_OP_READ);
    CHECK(phase.run(DP_OP_READ).ticks == 2 * kSecond / 10);
  }
  CHECK(Phase(folder, options, kSecond / 10, "other").run(DP_OP_READ).ticks == kSecond / 10);
  Phase rested(folder, options, 100 * kSecond);
  for (int i = 0; i < 100; ++i) last = rested.run(DP_OP_READ).ticks;
  CHECK(last == 100 * kSecond + 99'000'000);
}

TEST_CASE("sim state: a phase begins behind the cliff that the one before fell off") {
  const Options options{{"service_time", "0"}, {"cliff_after", "8192"}, {"cliff_write_iops", "10"}};
  const TempFolder folder;
  {
    Phase phase(folder, options);
    for (int i = 0; i < 3; ++i) CHECK(phase.write(0, 'w').ticks == 0);
  }
  Phase phase(folder, options, kSecond);
  CHECK(phase.write(0, 'w').ticks == kSecond);
  CHECK(phase.write(0, 'w').ticks == kSecond + kSecond / 10);
}

TEST_CASE("sim state: a phase that was killed while it held the disk's lock does not hold up the next") {
  const TempFolder folder;
  { Phase(folder, {}).run(DP_OP_READ); }
  std::fstream state(folder.path() / "sim-d.state", std::ios::in | std::ios::out | std::ios::binary);
  REQUIRE(state.put('\1').flush());  // the lock is the first word
  CHECK(Phase(folder, {}).run(DP_OP_READ).result == 4096);
  CHECK(state.seekg(0).get() == 0);
}

TEST_CASE("sim state: two engines on one disk at the same time share its limits and its content") {
  const TempFolder folder;
  Options options = kContent;
  options["service_time"] = "0";
  options["write_iops"] = "10";
  Phase first(folder, options), second(folder, options);
  CHECK(first.write(0, '1').ticks == 0);
  CHECK(second.write(4096, '2').ticks == kSecond / 10);
  CHECK(first.read(4096) == block('2'));
  CHECK(second.read(0) == block('1'));
}

TEST_CASE("sim state: two queues on two threads write and read back what is theirs") {
  ManualHost host;  // stands still: nothing waits
  const Options options{
      {"content", "true"}, {"service_time", "0"}, {"fault", "lost_though_flushed"}, {"fault_every", "2"}};
  Engine engine(Library::load(built_engine("sim"), host.table()), options);
  const QueueSpec spec{.depth = 1, .max_length = 512, .targets = {{.spec = "v", .size = 1 << 20}}, .regions = {}};
  int wrong[2] = {0, 0};
  const auto work = [&](std::uint64_t half) {
    Queue queue(engine, spec);
    std::string data(512, ' ');
    for (std::uint64_t i = 0; i < 2000; ++i) {
      dp_io io{};
      io.data = data.data();
      io.length = 512;
      io.offset = half * 524'288 + i % 1000 * 512 + half;
      for (const dp_op op : {DP_OP_WRITE, DP_OP_READ}) {
        const std::string mine(512, static_cast<char>('a' + (i + half) % 26));
        if (op == DP_OP_WRITE) data = mine;
        io.data = data.data();
        io.op = static_cast<std::uint8_t>(op);
        dp_done done{};
        const bool moved = queue.calls().submit({&io, 1}) == 1 && queue.calls().reap({&done, 1}, 1, 0) == 1;
        if (!moved || done.result != 512 || data != mine) ++wrong[half];
        if (op == DP_OP_WRITE) data.assign(512, '?');
      }
    }
  };
  std::thread other([&] { work(1); });
  work(0);
  other.join();
  CHECK(wrong[0] == 0);
  CHECK(wrong[1] == 0);
}

TEST_CASE("sim state: names of disks that are no names of files") {
  const TempFolder folder;
  for (const std::string& name : {std::string("a/../b"), std::string("Data"), std::string("data"), std::string(""),
                                  std::string(300, '/'), std::string(299, '/') + "x"}) {
    CAPTURE(name);
    Phase phase(folder, kContent, 0, name);
    CHECK(phase.read(0) == block('\0'));
    phase.write(0, 'n');
  }
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) files += entry.is_regular_file() ? 1 : 0;
  CHECK(files == 12);  // a state and a content for each
}
