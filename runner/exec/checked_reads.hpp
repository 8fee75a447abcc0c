// The worker of a check: reads exactly what a manifest says was written to one file, whole writes together as far as a
// read may be long, and judges every granule. A read that fails is done again granule by granule, so that one bad place
// does not hide its neighbours; it goes on in any case. What is behind the target's end counts as zeros: nothing is
// there.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "exec/lane_integrity.hpp"
#include "integrity/block_check.hpp"
#include "integrity/manifest.hpp"

namespace diskproof {

struct CheckSetup {
  std::string target;      // for faults
  std::uint32_t file = 0;  // of the manifest
  std::uint32_t depth = 1;
  std::uint64_t block_size = 0;         // bytes of the longest read, at least a granule
  std::uint32_t rank = 0, sharers = 1;  // every sharers-th read is this worker's
};

// The reads that cover all extents of a file, in ascending order.
class ReadRanges {
 public:
  ReadRanges(std::span<const ManifestExtent> extents, std::uint64_t granule, std::uint64_t longest)
      : extents_(extents), granule_(granule), most_(longest / granule) {}
  std::optional<Operation> next() noexcept;

 private:
  std::span<const ManifestExtent> extents_;
  std::uint64_t granule_, most_;  // most_: granules of a read
  std::size_t index_ = 0;
  std::uint64_t done_ = 0;  // granules of extents_[index_]
};

class CheckedReads final : public LaneIntegrity, private IoSource {
 public:
  // The manifest outlives it.
  CheckedReads(const Manifest& manifest, const CheckSetup& setup);

  // Reads of this worker; 0: another one has them all, or there are none.
  [[nodiscard]] std::uint64_t reads() const noexcept { return reads_; }

  const Operation* extra() noexcept override;
  void starts(const dp_io& io) noexcept override;
  void succeeded(std::uint32_t tag) noexcept override;
  void failed(const dp_done& done) noexcept override;
  void withdrawn(std::uint32_t) noexcept override {}
  [[nodiscard]] bool extras_are_free() const noexcept override { return false; }
  std::uint64_t take_added() noexcept override;
  [[nodiscard]] bool tolerates_errors() const noexcept override { return true; }
  IoSource* source() noexcept override { return this; }

 private:
  struct Started {
    std::uint64_t offset = 0;
    std::uint32_t length = 0;
    std::byte* data = nullptr;
    bool clean = false;  // the buffer was zeroed before
  };
  struct Judged {
    const ManifestExtent* extent;
    BlockFinding finding;
  };

  void fill(std::span<Operation> operations) noexcept override;
  [[nodiscard]] std::optional<Operation> next_own() noexcept;
  [[nodiscard]] const ManifestExtent* extent_at(std::uint64_t block) const noexcept;
  void read_again(const Started& read, std::uint32_t piece) noexcept;
  void judge(const Started& read, bool ends_inside = false) noexcept;
  void tell_torn_writes() noexcept;
  void note(const Judged& judged, std::uint64_t offset, const std::string* why) noexcept;

  const Manifest& manifest_;
  const std::span<const ManifestExtent> extents_;
  const StampKey key_;
  const CheckSetup setup_;
  ReadRanges ranges_;
  std::uint64_t index_ = 0;  // of the next range
  std::uint64_t reads_ = 0;
  BlockCheck check_;
  std::vector<Started> started_;  // by tag
  std::vector<Judged> judged_;    // of the present read
  std::deque<Operation> again_;
  Operation extra_{};
  bool extra_given_ = false;
  std::uint64_t added_ = 0;
};

}  // namespace diskproof
