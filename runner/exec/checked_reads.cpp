// Reading what the manifest says, and judging it.
#include "exec/checked_reads.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "engine/code.hpp"
#include "integrity/fault_list.hpp"

namespace diskproof {

std::optional<Operation> ReadRanges::next() noexcept {
  if (index_ == extents_.size()) return std::nullopt;
  const std::uint64_t first = extents_[index_].first + done_;
  std::uint64_t count = std::min<std::uint64_t>(extents_[index_].count - done_, most_);
  done_ += count;
  while (done_ == extents_[index_].count) {  // as many whole ones behind it as there is room for
    done_ = 0;
    if (++index_ == extents_.size()) break;
    const ManifestExtent& behind = extents_[index_];
    if (behind.first != first + count || behind.count > most_ - count) break;
    count += behind.count;
    done_ = behind.count;
  }
  return Operation{first * granule_, static_cast<std::uint32_t>(count * granule_), DP_OP_READ};
}

CheckedReads::CheckedReads(const Manifest& manifest, const CheckSetup& setup)
    : manifest_(manifest),
      extents_(manifest.extents_of(setup.file)),
      key_(manifest.key()),
      setup_(setup),
      ranges_(extents_, key_.granule, setup.block_size),
      check_(key_),
      started_(setup.depth) {
  judged_.reserve(setup.block_size / key_.granule);
  while (next_own()) ++reads_;
  ranges_ = ReadRanges(extents_, key_.granule, setup.block_size);
  index_ = 0;
}

std::optional<Operation> CheckedReads::next_own() noexcept {
  for (;;) {
    const auto range = ranges_.next();
    if (!range || index_++ % setup_.sharers == setup_.rank) return range;
  }
}

// Behind the last one anything: the worker's budget ends there.
void CheckedReads::fill(std::span<Operation> operations) noexcept {
  for (Operation& operation : operations) operation = next_own().value_or(Operation{0, key_.granule, DP_OP_READ});
}

const Operation* CheckedReads::extra() noexcept {
  if (again_.empty()) return nullptr;
  extra_ = again_.front();
  again_.pop_front();
  extra_given_ = true;
  return &extra_;
}

void CheckedReads::starts(const dp_io& io) noexcept {
  auto* const data = static_cast<std::byte*>(io.data);
  started_[io.tag] = {io.offset, io.length, data, extra_given_};
  if (std::exchange(extra_given_, false)) std::fill_n(data, io.length, std::byte{});
}

void CheckedReads::succeeded(std::uint32_t tag) noexcept {
  ++totals.operations;
  judge(started_[tag]);
}

void CheckedReads::failed(const dp_done& done) noexcept {
  ++totals.operations;
  const Started& read = started_[done.tag];
  if (done.result == -DP_ECANCELED) return;  // the phase is being ended
  const bool ends_inside = done.result >= 0;
  if (ends_inside && read.clean) return judge(read, true);
  if (ends_inside || read.length > key_.granule) return read_again(read, ends_inside ? read.length : key_.granule);
  const auto code = static_cast<std::int32_t>(-done.result);
  const std::string why = fmt::format("reading failed with {}: {}", code_name(code), code_text(code));
  note({extent_at(read.offset / key_.granule), {FaultClass::unreadable, 0, {}}}, read.offset, &why);
}

void CheckedReads::read_again(const Started& read, std::uint32_t piece) noexcept {
  for (std::uint64_t at = 0; at < read.length; at += piece) {
    again_.push_back({read.offset + at, piece, DP_OP_READ});
    ++added_;
  }
}

std::uint64_t CheckedReads::take_added() noexcept { return std::exchange(added_, 0); }

const ManifestExtent* CheckedReads::extent_at(std::uint64_t block) const noexcept {
  return &*std::prev(std::ranges::upper_bound(extents_, block, {}, &ManifestExtent::first));
}

void CheckedReads::judge(const Started& read, bool ends_inside) noexcept {
  judged_.clear();
  const ManifestExtent* extent = extent_at(read.offset / key_.granule);
  for (std::uint64_t at = 0; at < read.length; at += key_.granule) {
    if ((read.offset + at) / key_.granule >= extent->first + extent->count) ++extent;
    judged_.push_back(
        {extent, check_.check(read.data + at, setup_.file, read.offset + at, manifest_.expectation(*extent))});
  }
  tell_torn_writes();
  for (std::size_t i = 0; i < judged_.size(); ++i) {
    if (!judged_[i].finding.fault) totals.bytes += key_.granule;
    if (!judged_[i].finding.fault) continue;
    static const std::string kEnds = "nothing is there: the target ends before this place";
    const bool nothing = ends_inside && judged_[i].finding.found == 0;
    note(judged_[i], read.offset + i * key_.granule, nothing ? &kEnds : nullptr);
  }
}

// A write of which some granules are there and others are not, or old, is torn, whatever its parts look like.
void CheckedReads::tell_torn_writes() noexcept {
  for (std::size_t begin = 0; begin < judged_.size();) {
    std::size_t end = begin;
    bool some_there = false;
    for (; end < judged_.size() && judged_[end].extent->newest == judged_[begin].extent->newest; ++end) {
      const BlockFinding& finding = judged_[end].finding;
      some_there = some_there || (!finding.fault && finding.found == judged_[end].extent->newest);
    }
    for (std::size_t i = begin; i < end && some_there; ++i) {
      auto& fault = judged_[i].finding.fault;
      const bool gone = fault == FaultClass::missing || fault == FaultClass::stale || fault == FaultClass::lost;
      if (gone) fault = FaultClass::torn;
    }
    begin = end;
  }
}

void CheckedReads::note(const Judged& judged, std::uint64_t offset, const std::string* why) noexcept {
  const BlockFinding& finding = judged.finding;
  note_fault(totals, {*finding.fault, setup_.target, offset, key_.granule, judged.extent->newest, finding.found, {}},
             [&] { return why != nullptr ? *why : describe(finding, key_, manifest_.expectation(*judged.extent)); });
}

}  // namespace diskproof
