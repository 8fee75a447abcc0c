// Stamping, and reading back meanwhile.
#include "exec/stamped_writes.hpp"

#include <algorithm>

#include "integrity/fault_list.hpp"

namespace diskproof {

namespace {

constexpr std::uint64_t kOne = std::uint64_t{1} << 32;

bool writes(std::uint8_t op) noexcept { return op == DP_OP_WRITE; }
bool clears(std::uint8_t op) noexcept { return op == DP_OP_TRIM || op == DP_OP_WRITE_ZEROES; }

}  // namespace

StampedWrites::StampedWrites(WrittenMap& map, const StampSetup& setup)
    : key_(map.key()),
      setup_(setup),
      writer_(map, setup.file, setup.depth, setup.durable),
      check_(key_),
      started_(setup.depth),
      share_(static_cast<std::uint64_t>(setup.during / 100 * static_cast<double>(kOne))),
      random_(setup.seed),
      words_per_tag_(setup.block_size / key_.granule),
      words_(share_ > 0 ? words_per_tag_ * setup.depth : 0) {}

const Operation* StampedWrites::extra() noexcept {
  if (due_ < kOne || acknowledged_ == 0) return nullptr;
  due_ -= kOne;
  extra_ = remembered_[random_.next() % std::min<std::uint64_t>(acknowledged_, kRemembered)];
  extra_given_ = true;
  return &extra_;
}

void StampedWrites::starts(const dp_io& io) noexcept {
  Started& started = started_[io.tag];
  started = {io.offset, io.length, io.op, extra_given_, static_cast<const std::byte*>(io.data), 0};
  extra_given_ = false;
  if (writes(io.op)) {
    const std::uint64_t generation = writer_.begin_write(io.tag, io.offset, io.length);
    stamp_write(static_cast<std::byte*>(io.data), io.length, key_, setup_.file, io.offset, generation);
  } else if (clears(io.op)) {
    writer_.begin_trim(io.tag, io.offset, io.length);
  } else if (io.op != DP_OP_READ) {
    started.flush_covers = writer_.flush_started();
  } else if (started.read_back) {
    look_at_words(io.tag);
  }
}

void StampedWrites::succeeded(std::uint32_t tag) noexcept {
  const Started& started = started_[tag];
  if (started.read_back) {
    judge(tag);
  } else if (writes(started.op)) {
    writer_.acknowledge(tag);
    remember(started);
  } else if (clears(started.op)) {
    writer_.acknowledge(tag);
  } else if (started.op != DP_OP_READ) {
    writer_.flush_done(started.flush_covers);
  }
}

void StampedWrites::remember(const Started& write) noexcept {
  if (share_ == 0) return;
  remembered_[acknowledged_++ % kRemembered] = {write.offset, write.length, DP_OP_READ};
  due_ += share_;
}

void StampedWrites::look_at_words(std::uint32_t tag) noexcept {
  const Started& read = started_[tag];
  for (std::uint64_t i = 0; i < read.length / key_.granule; ++i) {
    words_[tag * words_per_tag_ + i] = writer_.quiet_word(read.offset + i * key_.granule);
  }
}

void StampedWrites::judge(std::uint32_t tag) noexcept {
  const Started& read = started_[tag];
  ++totals.operations;
  for (std::uint64_t i = 0; i < read.length / key_.granule; ++i) {
    const std::uint64_t word = words_[tag * words_per_tag_ + i];
    const std::uint64_t at = i * key_.granule;
    if (word != 0 && writer_.quiet_word(read.offset + at) == word) judge_granule(read, at, word);
  }
}

void StampedWrites::judge_granule(const Started& read, std::uint64_t at, std::uint64_t word) noexcept {
  const BlockExpectation expected = writer_.quiet_expectation(word);
  const std::uint64_t offset = read.offset + at;
  const BlockFinding finding = check_.check(read.data + at, setup_.file, offset, expected);
  totals.expected += key_.granule;
  if (!finding.fault) {
    totals.bytes += key_.granule;
    return;
  }
  note_fault(totals, {*finding.fault, setup_.target, offset, key_.granule, expected.newest, finding.found, {}},
             [&] { return describe(finding, key_, expected); });
}

}  // namespace diskproof
