// What was written is what is read: at odd sizes and offsets, many at once, by direct I/O, and after zeroing.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "conformance/mirror.hpp"
#include "conformance/rig.hpp"
#include "conformance/rule.hpp"
#include "support/path_text.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kBlock = 64 * 1024;
constexpr std::uint64_t kSize = 8 * kBlock;

void need_both(const Subject& subject) {
  subject.need_data();
  subject.need_operation(DP_OP_READ);
  subject.need_operation(DP_OP_WRITE);
}

// What offsets and lengths must be multiples of.
std::uint64_t unit_of(const Rig& rig) { return std::max(1u, rig.target_info(0).offset_alignment); }

// The file as another program sees it.
void compare_file(const Subject& subject, const std::string& name, std::span<const unsigned char> expected) {
  if (!subject.on_files() || subject.on_share()) return;
  std::ifstream file(path_from(subject.path(name)), std::ios::binary);
  const std::string found{std::istreambuf_iterator<char>(file), {}};
  if (found.size() != expected.size())
    throw Violation(fmt::format("the file has {} bytes after the writes, expected {}", found.size(), expected.size()));
  const auto differs = std::mismatch(found.begin(), found.end(), expected.begin(),
                                     [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; });
  if (differs.first != found.end())
    throw Violation(fmt::format("the file differs from what was written at byte {}", differs.first - found.begin()));
}

std::string odd(Subject& subject) {
  need_both(subject);
  Rig rig(subject, "data", kSize, {.block = kBlock});
  Mirror mirror(rig, 0, kSize, 1);
  const std::uint64_t unit = unit_of(rig);
  std::mt19937_64 random(1);
  constexpr std::array<std::uint64_t, 12> kLengths{1, 2, 7, 511, 512, 513, 1000, 4095, 4096, 4097, 12'289, 65'535};
  for (int round = 0; round < 60; ++round) {
    const std::uint64_t length =
        std::max(unit, kLengths[static_cast<std::size_t>(round) % kLengths.size()] / unit * unit);
    const std::uint64_t offset = random() % (kSize - length) / unit * unit;
    rig.must_run(std::array{mirror.write(0, offset, length)});
    const std::uint64_t before = std::min(offset, 16 / unit * unit);
    const std::uint64_t around = std::min({length + 2 * before, kSize - (offset - before), kBlock});
    rig.must_run(std::array{mirror.read(0, offset - before, around)});
    mirror.compare(0, offset - before, around);
  }
  mirror.compare_all();
  compare_file(subject, "data", mirror.bytes());
  return unit == 1 ? "" : fmt::format("in multiples of {}, as the target demands", unit);
}

std::string bounds(Subject& subject) {
  need_both(subject);
  Rig rig(subject, "data", kSize, {.block = 8192});
  Mirror mirror(rig, 0, kSize, 2);
  const std::uint64_t unit = unit_of(rig);
  for (const std::uint64_t wanted : {1u, 511u, 4000u, 4096u}) {
    const std::uint64_t length = std::max(unit, wanted / unit * unit);
    rig.must_run(std::array{mirror.read(0, 8192, length)});
    mirror.compare(0, 8192, length);
  }
  return "";
}

// Every tag has a stripe; all are written at once and read at once in another order.
void at_depth(const Subject& subject, Rig& rig, std::uint64_t stripe) {
  const std::uint32_t depth = subject.depth();
  Mirror mirror(rig, 0, depth * stripe, 3);
  for (std::uint32_t round = 0; round < 4; ++round) {
    const auto stripe_of = [&](std::uint32_t tag) { return (tag + round) % depth * stripe; };
    std::vector<dp_io> writes, reads;
    for (std::uint32_t tag = 0; tag < depth; ++tag) writes.push_back(mirror.write(tag, stripe_of(tag), stripe));
    rig.must_run(writes);
    for (std::uint32_t tag = depth; tag-- > 0;) reads.push_back(mirror.read(tag, (depth - 1 - tag) * stripe, stripe));
    rig.must_run(reads);
    for (std::uint32_t tag = 0; tag < depth; ++tag) mirror.compare(tag, (depth - 1 - tag) * stripe, stripe);
  }
}

std::string batch(Subject& subject) {
  need_both(subject);
  constexpr std::uint64_t kStripe = 16 * 1024;
  Rig rig(subject, "data", subject.depth() * kStripe, {.depth = subject.depth(), .block = kStripe});
  at_depth(subject, rig, kStripe);
  return subject.depth() == 1 ? "with one I/O in flight" : "";
}

std::string direct(Subject& subject) {
  need_both(subject);
  subject.need_files("direct I/O is for files");
  constexpr std::uint64_t kStripe = 16 * 1024;
  const Place place = subject.place("data", subject.depth() * kStripe, DP_TARGET_WRITE | DP_TARGET_DIRECT);
  Rig rig(subject, subject.create(), {place}, {.depth = subject.depth(), .block = kStripe});
  at_depth(subject, rig, kStripe);
  return "";
}

// Between what is zeroed and what stays there must be a sharp edge.
std::string zeroes(Subject& subject) {
  need_both(subject);
  if (!subject.supports(DP_OP_WRITE_ZEROES) && !subject.supports(DP_OP_TRIM))
    throw NotApplicable("it has neither trim nor write_zeroes");
  std::string missing;
  for (const dp_op op : {DP_OP_WRITE_ZEROES, DP_OP_TRIM}) {
    if (!subject.supports(op)) continue;
    Rig rig(subject, op == DP_OP_TRIM ? "trim" : "zeroes", kSize, {.block = kBlock});
    Mirror mirror(rig, 0, kSize, 4);
    const dp_done done = rig.run(rig.io(op, 0, kBlock, 2 * kBlock));
    if (done.result == -DP_ENOTSUP) {
      missing += op == DP_OP_TRIM ? "no trim on this file system " : "no write_zeroes on this file system ";
      continue;
    }
    if (done.result != 2 * kBlock)
      throw Violation(fmt::format("{} of {} bytes completed with {}", op == DP_OP_TRIM ? "trim" : "write_zeroes",
                                  2 * kBlock, result_text(done.result)));
    std::ranges::fill(mirror.bytes().subspan(kBlock, 2 * kBlock), 0);
    mirror.compare_all();
  }
  return missing;
}

constexpr std::array kRules{
    ConformanceRule{"data.odd", "what was written is read again, at any offset and size", odd},
    ConformanceRule{"data.bounds", "a read writes to its own bytes and no others", bounds},
    ConformanceRule{"data.batch", "many I/Os at once do not mix their data", batch},
    ConformanceRule{"data.direct", "the same by direct I/O", direct},
    ConformanceRule{"data.zeroes", "what was zeroed or trimmed reads as zeroes, and its neighbours stay", zeroes},
};

}  // namespace

std::span<const ConformanceRule> data_rules() { return kRules; }

}  // namespace diskproof
