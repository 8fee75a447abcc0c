// sync on Linux: descriptors, errno, trim, and what it does not attach.
#include <cerrno>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <diskproof/engine_services.hpp>

#include "bench.hpp"
#include "support/error.hpp"

using namespace diskproof;
using namespace diskproof::testing;

namespace {

TargetSpec writable(const std::string& path, std::uint64_t size) {
  return {.spec = path, .size = size, .flags = DP_TARGET_WRITE};
}

std::string open_failure(const TargetSpec& target, std::uint32_t depth = 1) {
  ManualHost host;
  try {
    const Bench bench("sync", host, {.depth = depth, .target = target});
  } catch (const Error& error) {
    return error.what();
  }
  return "opened";
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

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
