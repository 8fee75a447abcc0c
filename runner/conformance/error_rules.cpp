// I/O that fails or moves less than asked: counted, translated, and no reason to lose the queue.
#include <array>
#include <fmt/format.h>
#include <vector>

#include "conformance/resource_use.hpp"
#include "conformance/rig.hpp"
#include "conformance/rule.hpp"
#include "engine/code.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kBlock = 4096;
constexpr const char* kNoFiles = "only on a file it is known what must fail";

std::string short_reads(Subject& subject) {
  subject.need_files(kNoFiles);
  subject.need_operation(DP_OP_READ);
  Place place = subject.place("data", 10'000);
  place.spec.size = 4 * kBlock;
  Rig rig(subject, subject.create(), {place}, {});
  struct Row {
    std::uint64_t offset;
    std::int64_t bytes;
  };
  for (const Row& row : {Row{0, 4096}, Row{8192, 1808}, Row{12'288, 0}}) {
    const dp_done done = rig.run(rig.io(DP_OP_READ, 0, row.offset));
    if (done.result != row.bytes)
      throw Violation(fmt::format("a read of 4096 bytes at offset {} of a file of 10000 completed with {}, expected {}",
                                  row.offset, result_text(done.result), result_text(row.bytes)));
  }
  return "";
}

// A write to a file that is open for reading, between two reads.
std::string failed(Subject& subject) {
  subject.need_files(kNoFiles);
  subject.need_operation(DP_OP_READ);
  subject.need_operation(DP_OP_WRITE);
  const std::uint32_t depth = std::min(subject.depth(), 3u);
  Rig rig(subject, subject.create(), {subject.place("data", 4 * kBlock, 0)}, {.depth = depth});
  for (int round = 0; round < 3; ++round) {
    std::vector<dp_io> ios{rig.io(DP_OP_READ, 0), rig.io(DP_OP_WRITE, 1 % depth), rig.io(DP_OP_READ, 2 % depth)};
    std::vector<dp_done> all;
    for (std::size_t i = 0; i < ios.size(); i += depth) {  // one by one where only one fits
      const std::vector<dp_done> some = rig.run_all(std::span(ios).subspan(i, depth));
      all.insert(all.end(), some.begin(), some.end());
    }
    int good = 0, bad = 0;
    for (const dp_done& done : all) {
      good += done.result == static_cast<std::int64_t>(kBlock) ? 1 : 0;
      bad += done.result < 0 ? 1 : 0;
    }
    if (good != 2 || bad != 1)
      throw Violation(
          fmt::format("of two reads and a write that must fail {} moved all their bytes and {} failed", good, bad));
  }
  return "";
}

void need_code(const char* tried, const dp_done& done, dp_code code) {
  if (done.result != -code)
    throw Violation(
        fmt::format("{} completed with {}, expected {} ({})", tried, result_text(done.result), -code, code_name(code)));
  if (done.os_code == 0)
    throw Violation(fmt::format("{} completed with {} and os_code 0: the system's number is lost", tried,
                                result_text(done.result)));
}

std::string codes(Subject& subject) {
  subject.need_files(kNoFiles);
  subject.need_operation(DP_OP_WRITE);
  Rig read_only(subject, subject.create(), {subject.place("read_only", 4 * kBlock, 0)}, {});
  need_code("a write to a file that is open for reading", read_only.run(read_only.io(DP_OP_WRITE, 0)), DP_EACCES);
  Rig limited(subject, "limited", 4 * kBlock, {});
  if (subject.on_share()) return "only for a file that is open for reading: no process limits a server";
  if (!limit_file_size(2 * kBlock)) return "only for a file that is open for reading";
  need_code("a write beyond the process's limit for files", limited.run(limited.io(DP_OP_WRITE, 0, 3 * kBlock)),
            DP_ENOSPC);
  return "";
}

constexpr std::array kRules{
    ConformanceRule{"error.short", "fewer bytes than asked are reported as what they are", short_reads},
    ConformanceRule{"error.failed", "an I/O that fails completes with its error, and the queue goes on", failed},
    ConformanceRule{"error.codes", "the system's errors become the contract's codes and keep their number", codes},
};

}  // namespace

std::span<const ConformanceRule> error_rules() { return kRules; }

}  // namespace diskproof
