// The map of what was written to a disk in a run: 16 bytes per granule in a file of the run's state folder, which the
// workers change as they write and which stays when their process is killed. See map_entry.hpp for what an entry says.
//
// Order of a write: begin (before the engine gets it), then one of acknowledge, fail, withdraw. A short write that goes
// on is one write; one that ends short has failed. A trim takes what it covers out of what is expected; one in flight
// or failed too, since either may be there. Offsets and lengths are whole granules.
//
// Bounds: at most kMostGranules per disk (1 GiB of map), whose space is reserved when it is made. A map with more than
// kLastGeneration / 2 writes is not written on, so that one phase never comes to the end of the generations.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "integrity/block_check.hpp"
#include "integrity/block_stamp.hpp"
#include "integrity/map_entry.hpp"
#include "integrity/shared_mapping.hpp"

namespace diskproof {

inline constexpr std::uint64_t kMostGranules = std::uint64_t{1} << 26;

class MapWriter;

class WrittenMap {
 public:
  // The map at `path`, made with `key` and a file of each size where there is none; a present one keeps its key, and
  // must be of the same granule and sizes. Throws Error{unavailable} with the reason, e.g. when it would be too large.
  WrittenMap(const std::string& path, const StampKey& key, std::span<const std::uint64_t> file_sizes);
  // A present one, e.g. of a process that was killed. Throws Error{unavailable} when it is none.
  explicit WrittenMap(const std::string& path);

  [[nodiscard]] StampKey key() const noexcept;
  [[nodiscard]] std::uint32_t files() const noexcept;
  [[nodiscard]] std::uint64_t file_size(std::uint32_t file) const noexcept;
  [[nodiscard]] std::uint64_t last_generation() const noexcept;  // of those that began
  [[nodiscard]] std::uint64_t largest_write() const noexcept;    // bytes, of those that began
  // Every acknowledged write of the file with a smaller generation was flushed.
  [[nodiscard]] std::uint64_t flushed_below(std::uint32_t file) const noexcept;

  [[nodiscard]] MapEntry& entry(std::uint32_t file, std::uint64_t offset) const noexcept;
  // What the granule must hold once nothing is being written any more; nothing: whatever is there is right.
  [[nodiscard]] std::optional<BlockExpectation> expectation(std::uint32_t file, std::uint64_t offset) const noexcept;

 private:
  friend class MapWriter;
  struct Head;
  struct FileHead;

  void check_shape(const std::string& path) const;
  void find_entries() noexcept;
  [[nodiscard]] Head& head() const noexcept;
  [[nodiscard]] FileHead& file_head(std::uint32_t file) const noexcept;

  SharedMapping mapping_;
  std::vector<std::uint64_t> first_entry_;  // of each file
  MapEntry* entries_ = nullptr;
  std::mutex mutex_;                   // guards writers_
  std::vector<MapWriter*> writers_{};  // of this process
};

// One worker's hand on the map: its writes of one file. For one thread; the map outlives it.
class MapWriter {
 public:
  // `durable`: what it writes is durable when it is acknowledged, since the file is written through.
  MapWriter(WrittenMap& map, std::uint32_t file, std::uint32_t depth, bool durable = false);
  ~MapWriter();
  MapWriter(const MapWriter&) = delete;
  MapWriter& operator=(const MapWriter&) = delete;

  // The write or trim of `tag` (below depth, with nothing begun) begins; its generation.
  std::uint64_t begin_write(std::uint32_t tag, std::uint64_t offset, std::uint64_t length) noexcept;
  void begin_trim(std::uint32_t tag, std::uint64_t offset, std::uint64_t length) noexcept;
  // One of these ends what `tag` has begun; nothing where it has not.
  void acknowledge(std::uint32_t tag) noexcept;
  void fail(std::uint32_t tag) noexcept;
  void withdraw(std::uint32_t tag) noexcept;

  // What a flush that starts now will cover; flush_done says that it did.
  [[nodiscard]] std::uint64_t flush_started() const noexcept;
  void flush_done(std::uint64_t covers) noexcept;

  // A granule that nothing is writing and that is expected: its acknowledged word, for comparison; else 0.
  [[nodiscard]] std::uint64_t quiet_word(std::uint64_t offset) const noexcept;
  [[nodiscard]] BlockExpectation quiet_expectation(std::uint64_t word) const noexcept;

  [[nodiscard]] std::uint32_t file() const noexcept { return file_; }

 private:
  struct Slot {
    std::atomic<std::uint64_t> generation{0};  // 0: nothing begun; else at most that of what has
    std::uint64_t own = 0;                     // the generation
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    bool trim = false;
  };

  std::uint64_t begin(std::uint32_t tag, std::uint64_t offset, std::uint64_t length, bool trim) noexcept;
  template <class Act>
  void end(std::uint32_t tag, Act act) noexcept;

  WrittenMap& map_;
  const std::uint32_t file_;
  const std::uint32_t depth_;
  const bool durable_;
  const std::unique_ptr<Slot[]> slots_;
};

}  // namespace diskproof
