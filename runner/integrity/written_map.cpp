// The map's file: a head, a head per file, the entries of all files one after the other.
#include "integrity/written_map.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "support/error.hpp"

namespace diskproof {

namespace {

constexpr std::uint64_t kMagic = 0x50414d4f52504b44;
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kMostFiles = 1 << 16;

std::uint64_t granules(std::uint64_t size, std::uint64_t granule) { return size / granule; }

void raise(std::atomic<std::uint64_t>& value, std::uint64_t to) noexcept {
  std::uint64_t before = value.load(std::memory_order_relaxed);
  while (before < to && !value.compare_exchange_weak(before, to, std::memory_order_acq_rel)) continue;
}

}  // namespace

struct WrittenMap::Head {
  std::uint64_t magic;
  std::uint32_t version, granule;
  std::uint64_t run, seed;
  std::uint64_t files;
  std::uint64_t reserved;  // 0
  std::atomic<std::uint64_t> largest_write;
  std::atomic<std::uint64_t> ready;               // set last: what is before it is there
  alignas(64) std::atomic<std::uint64_t> newest;  // generation that began last
};

struct alignas(64) WrittenMap::FileHead {
  std::uint64_t size;
  std::atomic<std::uint64_t> flushed_below;
};

namespace {

std::uint64_t map_size(const std::string& path, std::uint32_t granule, std::span<const std::uint64_t> sizes,
                       std::uint64_t heads) {
  std::uint64_t count = 0;
  for (const std::uint64_t size : sizes) count += std::min(granules(size, granule), kMostGranules + 1);
  if (sizes.empty() || sizes.size() > kMostFiles || count > kMostGranules) {
    throw Error(
        ErrorKind::unavailable,
        fmt::format("making the map of what is written, {}: {} files of {} bytes in blocks of {} bytes are more "
                    "than the {} blocks and {} files that it can keep; take a smaller size or larger blocks",
                    path, sizes.size(), sizes.empty() ? 0 : sizes.front(), granule, kMostGranules, kMostFiles));
  }
  return heads + count * sizeof(MapEntry);
}

}  // namespace

WrittenMap::WrittenMap(const std::string& path, const StampKey& key, std::span<const std::uint64_t> file_sizes)
    : mapping_(path, SharedMapping::Mode::make,
               map_size(path, key.granule, file_sizes, sizeof(Head) + file_sizes.size() * sizeof(FileHead))) {
  Head& made = head();
  if (made.ready.load(std::memory_order_acquire) == 0) {
    made.magic = kMagic;
    made.version = kVersion;
    made.granule = key.granule;
    made.run = key.run;
    made.seed = key.seed;
    made.files = file_sizes.size();
    for (std::uint32_t file = 0; file < file_sizes.size(); ++file) file_head(file).size = file_sizes[file];
    made.ready.store(1, std::memory_order_release);
  }
  check_shape(path);
  bool same = made.granule == key.granule && made.files == file_sizes.size();
  for (std::uint32_t file = 0; same && file < file_sizes.size(); ++file) same = file_size(file) == file_sizes[file];
  if (last_generation() > kLastGeneration / 2) {
    throw Error(ErrorKind::unavailable,
                path +
                    ": the disk has been written so often in this run that no more writes can be told apart; begin "
                    "another run");
  }
  if (!same) throw Error(ErrorKind::unavailable, path + ": the map of what was written is of another disk");
  find_entries();
}

WrittenMap::WrittenMap(const std::string& path) : mapping_(path, SharedMapping::Mode::existing) {
  check_shape(path);
  find_entries();
}

void WrittenMap::check_shape(const std::string& path) const {
  const auto refuse = [&](const char* why) {
    throw Error(ErrorKind::unavailable, fmt::format("{}: no map of what was written: {}", path, why));
  };
  if (mapping_.size() < sizeof(Head)) refuse("too short");
  const Head& found = head();
  if (found.ready.load(std::memory_order_acquire) != 1 || found.magic != kMagic) refuse("it does not begin like one");
  if (found.version != kVersion) refuse("of another version");
  if (found.granule == 0 || found.granule % kStampSector != 0) refuse("its block size is wrong");
  if (found.files == 0 || found.files > kMostFiles) refuse("its number of files is wrong");
  std::uint64_t need = sizeof(Head) + found.files * sizeof(FileHead);
  if (mapping_.size() < need) refuse("cut off");
  for (std::uint32_t file = 0; file < found.files; ++file) {
    const std::uint64_t count = granules(file_head(file).size, found.granule);
    if (count > kMostGranules) refuse("a file of it is too large");
    need += count * sizeof(MapEntry);
  }
  if (mapping_.size() < need) refuse("cut off");
}

void WrittenMap::find_entries() noexcept {
  std::uint64_t first = 0;
  for (std::uint32_t file = 0; file < files(); ++file) {
    first_entry_.push_back(first);
    first += granules(file_size(file), head().granule);
  }
  entries_ = reinterpret_cast<MapEntry*>(mapping_.data() + sizeof(Head) + files() * sizeof(FileHead));
}

WrittenMap::Head& WrittenMap::head() const noexcept { return *reinterpret_cast<Head*>(mapping_.data()); }

WrittenMap::FileHead& WrittenMap::file_head(std::uint32_t file) const noexcept {
  return reinterpret_cast<FileHead*>(mapping_.data() + sizeof(Head))[file];
}

StampKey WrittenMap::key() const noexcept { return {head().run, head().seed, head().granule}; }

std::uint32_t WrittenMap::files() const noexcept { return static_cast<std::uint32_t>(head().files); }

std::uint64_t WrittenMap::file_size(std::uint32_t file) const noexcept { return file_head(file).size; }

std::uint64_t WrittenMap::last_generation() const noexcept { return head().newest.load(std::memory_order_acquire); }

std::uint64_t WrittenMap::largest_write() const noexcept {
  return head().largest_write.load(std::memory_order_acquire);
}

std::uint64_t WrittenMap::flushed_below(std::uint32_t file) const noexcept {
  return file_head(file).flushed_below.load(std::memory_order_acquire);
}

MapEntry& WrittenMap::entry(std::uint32_t file, std::uint64_t offset) const noexcept {
  return entries_[first_entry_[file] + offset / head().granule];
}

std::optional<BlockExpectation> WrittenMap::expectation(std::uint32_t file, std::uint64_t offset) const noexcept {
  const MapEntry& found = entry(file, offset);
  const Acknowledged known = found.acknowledged();
  const InFlightWrites open = found.in_flight();
  if (!known.expected() || (open.count > 0 && open.trims)) return std::nullopt;
  BlockExpectation expected{known.newest, known.oldest, 0, known.durable || known.newest < flushed_below(file)};
  if (open.count > 0 && open.lowest > 0) expected.oldest = std::min(expected.oldest, open.lowest);
  if (open.count > 0 || known.in_doubt) expected.in_doubt = std::max(last_generation(), known.newest);
  return expected;
}

MapWriter::MapWriter(WrittenMap& map, std::uint32_t file, std::uint32_t depth, bool durable)
    : map_(map), file_(file), depth_(depth), durable_(durable), slots_(new Slot[depth]) {
  const std::lock_guard lock(map.mutex_);
  map.writers_.push_back(this);
}

MapWriter::~MapWriter() {
  const std::lock_guard lock(map_.mutex_);
  std::erase(map_.writers_, this);
}

// The slot holds a lower bound before the generation is taken: a flush that sees a later newest generation sees it too.
std::uint64_t MapWriter::begin(std::uint32_t tag, std::uint64_t offset, std::uint64_t length, bool trim) noexcept {
  std::atomic<std::uint64_t>& newest = map_.head().newest;
  Slot& slot = slots_[tag];
  slot.generation.store(newest.load(std::memory_order_seq_cst) + 1, std::memory_order_seq_cst);
  slot.own = newest.fetch_add(1, std::memory_order_seq_cst) + 1;
  slot.offset = offset;
  slot.length = length;
  slot.trim = trim;
  const std::uint64_t granule = map_.head().granule;
  MapEntry* const entries = &map_.entry(file_, offset);
  for (std::uint64_t i = 0; i < length / granule; ++i) entries[i].begin(slot.own, trim);
  return slot.own;
}

std::uint64_t MapWriter::begin_write(std::uint32_t tag, std::uint64_t offset, std::uint64_t length) noexcept {
  raise(map_.head().largest_write, length);
  return begin(tag, offset, length, false);
}

void MapWriter::begin_trim(std::uint32_t tag, std::uint64_t offset, std::uint64_t length) noexcept {
  begin(tag, offset, length, true);
}

template <class Act>
void MapWriter::end(std::uint32_t tag, Act act) noexcept {
  Slot& slot = slots_[tag];
  if (slot.generation.load(std::memory_order_relaxed) == 0) return;
  const std::uint64_t granule = map_.head().granule;
  MapEntry* const entries = &map_.entry(file_, slot.offset);
  for (std::uint64_t i = 0; i < slot.length / granule; ++i) act(entries[i], slot);
  slot.generation.store(0, std::memory_order_release);
}

void MapWriter::acknowledge(std::uint32_t tag) noexcept {
  end(tag, [this](MapEntry& entry, const Slot& slot) {
    slot.trim ? entry.acknowledge_trim() : entry.acknowledge(slot.own, durable_);
  });
}

void MapWriter::fail(std::uint32_t tag) noexcept {
  end(tag, [](MapEntry& entry, const Slot& slot) { entry.fail(slot.own, slot.trim); });
}

void MapWriter::withdraw(std::uint32_t tag) noexcept {
  end(tag, [](MapEntry& entry, const Slot&) { entry.withdraw(); });
}

std::uint64_t MapWriter::flush_started() const noexcept {
  std::uint64_t below = map_.head().newest.load(std::memory_order_seq_cst) + 1;
  const std::lock_guard lock(map_.mutex_);
  for (const MapWriter* writer : map_.writers_) {
    if (writer->file_ != file_) continue;
    for (std::uint32_t tag = 0; tag < writer->depth_; ++tag) {
      const std::uint64_t begun = writer->slots_[tag].generation.load(std::memory_order_seq_cst);
      if (begun != 0) below = std::min(below, begun);
    }
  }
  return below;
}

void MapWriter::flush_done(std::uint64_t covers) noexcept { raise(map_.file_head(file_).flushed_below, covers); }

std::uint64_t MapWriter::quiet_word(std::uint64_t offset) const noexcept {
  const MapEntry& entry = map_.entry(file_, offset);
  const Acknowledged known = entry.acknowledged();
  if (entry.in_flight().count > 0 || !known.expected() || known.in_doubt) return 0;
  return known.packed();
}

BlockExpectation MapWriter::quiet_expectation(std::uint64_t word) const noexcept {
  const Acknowledged known = Acknowledged::unpacked(word);
  return {known.newest, known.oldest, 0, known.durable || known.newest < map_.flushed_below(file_)};
}

}  // namespace diskproof
