// sync on Linux: descriptors, errno, trim, and what it does not attach.
#include <cerrno>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <vector>

#include <diskproof/engine_services.hpp>

#include "sync_bench.hpp"

using namespace diskproof;
using namespace diskproof::testing;

TEST_CASE("sync: a trimmed block of a file reads as zeroes") {
  ManualHost host;
  const TempFolder folder;
  Bench bench("sync", host, {.target = writable(folder.file("data", 16384), 16384)});
  REQUIRE(bench.run(bench.io(DP_OP_TRIM, 0, 4096)).result == 4096);
  CHECK(bench.run(bench.io(DP_OP_READ, 0, 4096)).result == 4096);
  CHECK(bench.buffer(0)[0] == '\0');
  CHECK(bench.run(bench.io(DP_OP_READ, 0, 8192)).result == 4096);
  CHECK(bench.buffer(0)[0] == 'x');
}

TEST_CASE("sync: a quota is space") { CHECK(dp::code_from_errno(EDQUOT) == DP_ENOSPC); }

TEST_CASE("sync: an error has its code and the errno") {
  ManualHost host;
  const TempFolder folder;
  Bench bench("sync", host, {.target = {.spec = folder.file("data", 4096), .size = 4096}});  // opened for reading
  const dp_done done = bench.run(bench.io(DP_OP_WRITE, 0));
  CHECK(done.result == -DP_EACCES);
  CHECK(done.os_code == EBADF);
}

TEST_CASE("sync: the runner's descriptor is used and stays open") {
  ManualHost host;
  const TempFolder folder;
  const int descriptor = ::open(folder.file("data", 4096, 'd').c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(descriptor >= 0);
  {
    Bench bench("sync", host, {.target = {.spec = "/nowhere", .size = 4096, .native_handle = descriptor}});
    CHECK(bench.run(bench.io(DP_OP_READ, 0)).result == 4096);
    CHECK(bench.buffer(0)[4095] == 'd');
  }
  CHECK(::fcntl(descriptor, F_GETFD) >= 0);
  ::close(descriptor);
}

TEST_CASE("sync: a target that cannot be attached is named with the reason") {
  const TempFolder folder;
  const std::string link = (folder.path() / "link").string();
  std::filesystem::create_symlink(folder.file("real", 4096), link);
  struct Row {
    const char* name;
    std::string spec;
    const char* reason;
  };
  for (const Row& row :
       {Row{"missing", (folder.path() / "none").string(), "No such file"}, Row{"symbolic link", link, "symbolic links"},
        Row{"folder", folder.path().string(), "directory"}, Row{"pipe", "/dev/null", "neither"}}) {
    CAPTURE(row.name);
    const std::string text = open_failure(writable(row.spec, 4096));
    CAPTURE(text);
    CHECK(has(text, row.spec.c_str()));
    CHECK(has(text, row.reason));
    CHECK(has(text, "engine sync"));
  }
}

TEST_CASE("names: relative paths start in the target's folder, and what has no room or no path is refused") {
  for (const char* engine : {"sync", "io_uring"}) {
    CAPTURE(engine);
    if (!std::filesystem::exists(built_engine(engine))) continue;
    ManualHost host;
    const TempFolder folder;
    Bench bench(engine, host, {.target = writable(folder.file("data", 4096), 4096)});
    const auto run = [&](dp_name_op op) {
      REQUIRE(bench.queue().calls().submit_names({&op, 1}) == 1);
      const auto done = bench.reap(1, 1, 1'000'000'000);
      REQUIRE(done.size() == 1);
      return done[0];
    };
    dp_name_op op{};
    op.op = DP_NAME_MKDIR;
    op.path = "made";
    CHECK(run(op).result == 0);
    CHECK(std::filesystem::is_directory(folder.path() / "made"));
    dp_name_stat found{};
    op.op = DP_NAME_STAT;
    op.path = "data";
    op.out = &found;
    op.out_len = sizeof found;
    CHECK(run(op).result == 0);
    CHECK(found.size == 4096);
    CHECK(found.is_directory == 0);
    op.out_len = 8;
    CHECK(run(op).result == -DP_EINVAL);
    op.path = nullptr;
    CHECK(run(op).result == -DP_EINVAL);
    op.path = "none";
    op.out_len = sizeof found;
    const dp_done missing = run(op);
    CHECK(missing.result == -DP_ENOENT);
    CHECK(missing.os_code == ENOENT);
    op.op = DP_NAME_READDIR;
    op.path = ".";
    op.out_len = 3;
    CHECK(run(op).result == -DP_EINVAL);
    std::vector<char> names(64);
    op.out = names.data();
    op.out_len = static_cast<std::uint32_t>(names.size());
    CHECK(run(op).result == 10);  // data, made and their ends
  }
}
