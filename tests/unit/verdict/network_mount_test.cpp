// When a network file system's mount and its client's cache are remarkable.
#include "verdict/network_mount.hpp"

#include <doctest/doctest.h>

namespace diskproof {
namespace {

bool has(const std::optional<std::string>& text, std::string_view part) {
  return text && text->find(part) != std::string::npos;
}

const NetworkMount kNfs{.kind = "nfs", .server = "nas", .version = "4.2", .read_size = 1 << 20, .write_size = 1 << 20};
const NetworkMount kSshfs{.kind = "sshfs", .server = "nas", .version = "", .user_space = true};

TEST_CASE("network mount: options that change what is measured are named") {
  CHECK_FALSE(remarkable_mount(kNfs, "rw,hard,vers=4.2,proto=tcp", {}));
  CHECK_FALSE(remarkable_mount(kNfs, "rw,softened,local_lock=none", {}));
  for (const char* option : {"soft", "softerr", "async", "nolock", "local_lock=all", "nocto", "cache=loose"}) {
    CAPTURE(option);
    CHECK(has(remarkable_mount(kNfs, std::string("rw,") + option, {}), std::string(option) + ": "));
  }
}

TEST_CASE("network mount: blocks larger than a request are named, by direction") {
  CHECK_FALSE(remarkable_mount(kNfs, "rw", {.read_block = 1 << 20, .write_block = 1 << 20}));
  const auto both = remarkable_mount(kNfs, "rw", {.read_block = 4 << 20, .write_block = 3 << 20});
  CHECK(has(both, "reads of 4 MiB take 4 requests of 1 MiB (rsize)"));
  CHECK(has(both, "writes of 3 MiB take 3 requests of 1 MiB (wsize)"));
  CHECK_FALSE(remarkable_mount(kSshfs, "rw", {.read_block = 4 << 20, .write_block = 4 << 20}));
}

TEST_CASE("client cache: bytes that never crossed the network, in nine tenths and less") {
  PhaseMetrics metrics;
  metrics.set("read.bytes", 1000000);
  metrics.set("write.bytes", 0);
  NetworkTotals counted{.read_bytes = 900000, .write_bytes = 0, .calls = 1};
  CHECK_FALSE(client_cache(kNfs, counted, {.read_block = 4096, .direct = false}, metrics));
  counted.read_bytes = 899999;
  CHECK(has(client_cache(kNfs, counted, {.read_block = 4096, .direct = true}, metrics), "read: the load moved"));
  metrics.set("write.bytes", 1000000);
  CHECK(has(client_cache(kNfs, counted, {}, metrics), "; write: "));
}

TEST_CASE("client cache: without counters direct I/O of a kernel client is trusted") {
  const PhaseMetrics none;
  CHECK_FALSE(client_cache(kNfs, std::nullopt, {.direct = true}, none));
  CHECK(has(client_cache(kNfs, std::nullopt, {.direct = false}, none), "was buffered"));
  CHECK(has(client_cache(kSshfs, std::nullopt, {.direct = true}, none), "may cache, also direct I/O"));
}

TEST_CASE("network totals: a counter that went back is a new mount, not a difference") {
  NetworkTotals before{.read_bytes = 5, .write_bytes = 6, .calls = 7, .rpc = RpcTotals{}};
  NetworkTotals after{.read_bytes = 10, .write_bytes = 6, .calls = 9, .rpc = RpcTotals{}};
  after.rpc->retransmits = 3;
  const auto between = counted_between(before, after);
  REQUIRE(between);
  CHECK(between->read_bytes == 5);
  CHECK(between->write_bytes == 0);
  CHECK(between->calls == 2);
  CHECK(between->rpc->retransmits == 3);
  CHECK_FALSE(counted_between(after, before));
}

}  // namespace
}  // namespace diskproof
