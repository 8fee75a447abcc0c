// Where an I/O goes: the region of memory and the target that it names.
#include <array>
#include <fmt/format.h>
#include <vector>

#include "conformance/mirror.hpp"
#include "conformance/rig.hpp"
#include "conformance/rule.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kBlock = 8192;
constexpr const char* kNoData = "it keeps no data: only that all of it completes was seen";

// Writes from the second region, reads into the first.
std::string regions(Subject& subject) {
  subject.need_operation(DP_OP_READ);
  subject.need_operation(DP_OP_WRITE);
  const std::uint32_t depth = std::min(subject.depth(), 8u);
  Rig rig(subject, "data", depth * kBlock, {.depth = depth, .block = kBlock, .buffers = 2 * depth, .regions = 2});
  Mirror mirror(rig, 0, depth * kBlock, 5);
  std::vector<dp_io> writes, reads;
  for (std::uint32_t tag = 0; tag < depth; ++tag)
    writes.push_back(mirror.write_from(depth + tag, tag, tag * kBlock, kBlock));
  rig.must_run(writes);
  for (std::uint32_t tag = 0; tag < depth; ++tag) reads.push_back(mirror.read_into(tag, tag, tag * kBlock, kBlock));
  rig.must_run(reads);
  if (!subject.keeps_data()) return kNoData;
  for (std::uint32_t tag = 0; tag < depth; ++tag) mirror.compare(tag, tag * kBlock, kBlock);
  return "";
}

std::string targets(Subject& subject) {
  subject.need_operation(DP_OP_READ);
  subject.need_operation(DP_OP_WRITE);
  constexpr std::uint64_t kSize = 4 * kBlock;
  Rig rig(subject, subject.create(), {subject.place("first", kSize), subject.place("second", kSize)},
          {.block = kBlock});
  Mirror first(rig, 0, kSize, 6), second(rig, 1, kSize, 70);
  rig.must_run(std::array{first.write(0, kBlock, kBlock)});
  rig.must_run(std::array{second.write(0, 2 * kBlock, kBlock)});
  if (!subject.keeps_data()) return kNoData;
  first.compare_all();
  second.compare_all();
  return "";
}

constexpr std::array kRules{
    ConformanceRule{"place.regions", "data is moved between the target and the region that an I/O names", regions},
    ConformanceRule{"place.targets", "an I/O goes to the target that it names", targets},
};

}  // namespace

std::span<const ConformanceRule> placement_rules() { return kRules; }

}  // namespace diskproof
