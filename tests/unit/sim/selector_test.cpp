// Which operations a selector finds.
#include "sim/selector.hpp"

#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace sim;

namespace {

dp_io io(dp_op op, std::uint64_t offset, std::uint32_t length = 4096) {
  dp_io io{};
  io.op = static_cast<std::uint8_t>(op);
  io.offset = offset;
  io.length = length;
  return io;
}

// One letter per operation: x where it is found.
std::string found(const Selector& selector, const std::vector<dp_io>& ios) {
  Finder finder(selector);
  std::string text;
  for (const dp_io& one : ios) text += finder.finds(one) ? 'x' : '.';
  return text;
}

constexpr std::uint64_t kWrites = dp::operations(DP_OP_WRITE);

}  // namespace

TEST_CASE("sim selector: every Nth, the Nth, all, none") {
  const std::vector<dp_io> ios(7, io(DP_OP_WRITE, 0));
  CHECK(found({.operations = kWrites}, ios) == ".......");
  CHECK(found({.operations = kWrites, .every = 3}, ios) == "..x..x.");
  CHECK(found({.operations = kWrites, .at = 2}, ios) == ".x.....");
  CHECK(found({.operations = kWrites, .every = 4, .at = 5}, ios) == "...xx..");
  CHECK(found({.operations = kWrites, .all = true}, ios) == "xxxxxxx");
}

TEST_CASE("sim selector: others are not counted") {
  const std::vector<dp_io> ios{io(DP_OP_READ, 0), io(DP_OP_WRITE, 0), io(DP_OP_READ, 0), io(DP_OP_WRITE, 0)};
  CHECK(found({.operations = kWrites, .at = 2}, ios) == "...x");
}

TEST_CASE("sim selector: a range is touched by any common byte") {
  const std::vector<dp_io> ios{io(DP_OP_WRITE, 0),    io(DP_OP_WRITE, 1),       io(DP_OP_WRITE, 4096),
                               io(DP_OP_WRITE, 4607), io(DP_OP_WRITE, 4608),    io(DP_OP_WRITE, 0, 1 << 20),
                               io(DP_OP_WRITE, 0, 0), io(DP_OP_WRITE, 4200, 0), io(DP_OP_WRITE, 4200, 1)};
  CHECK(found({.operations = kWrites, .offset = 4096, .length = 512, .all = true}, ios) == ".xxx.x..x");
}
