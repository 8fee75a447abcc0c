// The worker of a `verify: write` phase: every write is stamped and goes through the map; a share of what was
// acknowledged may be read back meanwhile. What is read back is judged granule by granule, and only where nothing was
// written there from the read's start to its end.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "exec/lane_integrity.hpp"
#include "exec/random.hpp"
#include "integrity/block_check.hpp"
#include "integrity/written_map.hpp"

namespace diskproof {

struct StampSetup {
  std::string target;  // for faults
  std::uint32_t file = 0;
  std::uint32_t depth = 1;
  std::uint64_t block_size = 0;  // bytes of the largest operation
  bool durable = false;          // written through: an acknowledged write is durable
  double during = 0;             // percent of the acknowledged writes that are read back
  std::uint64_t seed = 0;        // of which
};

class StampedWrites final : public LaneIntegrity {
 public:
  // The map outlives it.
  StampedWrites(WrittenMap& map, const StampSetup& setup);

  const Operation* extra() noexcept override;
  void starts(const dp_io& io) noexcept override;
  void succeeded(std::uint32_t tag) noexcept override;
  void failed(const dp_done& done) noexcept override { writer_.fail(done.tag); }
  void withdrawn(std::uint32_t tag) noexcept override { writer_.withdraw(tag); }
  [[nodiscard]] bool extras_are_free() const noexcept override { return true; }
  [[nodiscard]] bool tolerates_errors() const noexcept override { return false; }

 private:
  static constexpr std::size_t kRemembered = 256;  // acknowledged writes, from which one is drawn

  struct Started {
    std::uint64_t offset = 0;
    std::uint32_t length = 0;
    std::uint8_t op = 0;
    bool read_back = false;
    const std::byte* data = nullptr;
    std::uint64_t flush_covers = 0;
  };

  void remember(const Started& write) noexcept;
  void look_at_words(std::uint32_t tag) noexcept;
  void judge(std::uint32_t tag) noexcept;
  void judge_granule(const Started& read, std::uint64_t at, std::uint64_t word) noexcept;

  const StampKey key_;
  const StampSetup setup_;
  MapWriter writer_;
  BlockCheck check_;
  std::vector<Started> started_;  // by tag
  const std::uint64_t share_;     // of the writes that are read back, in 1/2^32
  std::uint64_t due_ = 0;         // likewise: 2^32 is one read
  Random random_;
  std::array<Operation, kRemembered> remembered_{};
  std::uint64_t acknowledged_ = 0;
  Operation extra_{};
  bool extra_given_ = false;
  const std::uint64_t words_per_tag_;
  std::vector<std::uint64_t> words_;  // by tag: what the map said of each granule when the read began
};

}  // namespace diskproof
