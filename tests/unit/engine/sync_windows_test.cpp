// sync on Windows: error codes, alignment, and what it does not attach.
#include <doctest/doctest.h>

#include <diskproof/windows_file.hpp>

#include "bench.hpp"
#include "support/error.hpp"

using namespace diskproof;
using namespace diskproof::testing;

TEST_CASE("sync: an error has its code and the system's number") {
  ManualHost host;
  const TempFolder folder;
  Bench bench("sync", host, {.target = {.spec = folder.file("data", 4096), .size = 4096}});  // opened for reading
  const dp_done done = bench.run(bench.io(DP_OP_WRITE, 0));
  CHECK(done.result == -DP_EACCES);
  CHECK(done.os_code == ERROR_ACCESS_DENIED);
  CHECK(bench.run(bench.io(DP_OP_TRIM, 0)).result == -DP_ENOTSUP);
}

TEST_CASE("sync: the system's errors become codes of the contract") {
  struct Row {
    DWORD error;
    dp_code code;
  };
  for (const Row& row : {Row{ERROR_SUCCESS, DP_OK},
                         {ERROR_DISK_FULL, DP_ENOSPC},
                         {ERROR_CRC, DP_EIO},
                         {ERROR_INVALID_PARAMETER, DP_EINVAL},
                         {ERROR_SHARING_VIOLATION, DP_EBUSY},
                         {ERROR_OPERATION_ABORTED, DP_ECANCELED},
                         {ERROR_DEVICE_NOT_CONNECTED, DP_ENODEV},
                         {ERROR_ALREADY_ASSIGNED, DP_EOTHER}}) {
    CAPTURE(row.error);
    CHECK(dp::code_from_windows(row.error) == row.code);
  }
}

TEST_CASE("sync: past the cache, what is not aligned is refused by the engine itself") {
  ManualHost host;
  const TempFolder folder;
  Bench bench("sync", host,
              {.target = {.spec = folder.file("data", 16384),
                          .size = 16384,
                          .flags = DP_TARGET_WRITE | DP_TARGET_DIRECT | DP_TARGET_DSYNC}});
  const std::uint32_t sector = bench.queue().target_info(0).offset_alignment;
  REQUIRE(sector >= 512);
  for (const dp_op op : {DP_OP_READ, DP_OP_WRITE}) {
    CAPTURE(op);
    CHECK(bench.run(bench.io(op, 0, 4096)).result == 4096);
    dp_io offset = bench.io(op, 0, sector / 2), length = bench.io(op, 0), memory = bench.io(op, 0);
    length.length = sector / 2;
    memory.data = bench.buffer(0) + sector / 2;
    memory.length = sector;
    for (const dp_io& io : {offset, length, memory}) {
      const dp_done done = bench.run(io);
      CHECK(done.result == -DP_EINVAL);
      CHECK(done.os_code == ERROR_INVALID_PARAMETER);
    }
  }
  CHECK(bench.run(bench.io(DP_OP_FDATASYNC, 0)).result == 0);
}

TEST_CASE("sync: the file that was attached is told by volume and index") {
  ManualHost host;
  const TempFolder folder;
  const std::string first = folder.file("a", 4096), second = folder.file("b", 4096);
  const auto info_of = [&](const std::string& path) {
    return Bench("sync", host, {.target = {.spec = path, .size = 4096}}).queue().target_info(0);
  };
  CHECK(info_of(first).file_id == info_of(first).file_id);
  CHECK(info_of(first).file_id != info_of(second).file_id);
  CHECK(info_of(first).volume_id == info_of(second).volume_id);
  CHECK(info_of(first).size == 4096);
}

TEST_CASE("sync: a target that cannot be attached is named") {
  ManualHost host;
  const TempFolder folder;
  for (const std::string& path : {(folder.path() / "none").string(), folder.path().string(), std::string("NUL")}) {
    CAPTURE(path);
    CHECK_THROWS_WITH_AS(Bench("sync", host, {.target = {.spec = path, .size = 4096}}), doctest::Contains(path.c_str()),
                         Error);
  }
}
