// Writing and reading manifests. Nothing of a file is believed before its checksum holds, nor after.
#include "integrity/manifest.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>

#include "support/atomic_file.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace diskproof {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFirstLine = "diskproof manifest 1\n";
constexpr std::size_t kMostHead = std::size_t{1} << 26;  // bytes before the extents: 65,536 files with long paths
constexpr std::size_t kSum = sizeof(std::uint64_t);
constexpr std::uint64_t kLargestGranule = std::uint64_t{1} << 30;
constexpr std::uint64_t kAtOnce = 4096;  // extents per write

// Calls `take(extent)` for each, in order; blocks of one write that follow each other are one.
template <class Take>
void visit_extents(const WrittenMap& map, Take&& take) {
  const std::uint64_t granule = map.key().granule;
  for (std::uint32_t file = 0; file < map.files(); ++file) {
    ManifestExtent open{};
    for (std::uint64_t block = 0; block < map.file_size(file) / granule; ++block) {
      const auto expected = map.expectation(file, block * granule);
      if (!expected) continue;
      const auto flags = static_cast<std::uint16_t>((expected->in_doubt > 0 ? ManifestExtent::kInDoubt : 0) |
                                                    (expected->flushed ? ManifestExtent::kFlushed : 0));
      const bool same = open.count > 0 && open.first + open.count == block && open.newest == expected->newest &&
                        open.oldest == expected->oldest && open.flags == flags && open.count < ~std::uint32_t{0};
      if (same) {
        ++open.count;
        continue;
      }
      if (open.count > 0) take(open);
      open = {block, expected->newest, expected->oldest, 1, static_cast<std::uint16_t>(file), flags};
    }
    if (open.count > 0) take(open);
  }
}

std::string head_text(const ManifestFacts& facts) {
  Json files = Json::array();
  for (const ManifestFacts::File& file : facts.files) {
    files.push_back({{"path", file.path}, {"size", file.size}, {"flushed_below", file.flushed_below}});
  }
  const Json json{{"run_id", facts.run_id},
                  {"disk", facts.disk},
                  {"phase", facts.phase},
                  {"expected", facts.expected},
                  {"block_size", facts.granule},
                  {"largest_write", facts.largest_write},
                  {"run", facts.run},
                  {"seed", facts.seed},
                  {"last_generation", facts.last_generation},
                  {"extents", facts.extents},
                  {"files", files}};
  std::string text(kFirstLine);
  text += json.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.resize((text.size() + sizeof(ManifestExtent)) / sizeof(ManifestExtent) * sizeof(ManifestExtent), ' ');
  text.back() = '\n';
  return text;
}

// An AtomicFile that adds up what goes through it.
class SummedFile {
 public:
  explicit SummedFile(const std::string& path) : file_(path_from(path)) { XXH3_64bits_reset(&state_); }
  void append(std::string_view piece) {
    XXH3_64bits_update(&state_, piece.data(), piece.size());
    file_.append(piece);
  }
  void commit() {
    const std::uint64_t sum = XXH3_64bits_digest(&state_);
    file_.append({reinterpret_cast<const char*>(&sum), sizeof sum});
    file_.commit();
  }

 private:
  AtomicFile file_;
  XXH3_state_t state_{};
};

struct Malformed {
  std::string why;
};

std::uint64_t count_in(const Json& json, const char* key, std::uint64_t most = ~std::uint64_t{0}) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_unsigned() || found->get<std::uint64_t>() > most) {
    throw Malformed{fmt::format("its head has no sound '{}'", key)};
  }
  return found->get<std::uint64_t>();
}

std::string text_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) throw Malformed{fmt::format("its head has no sound '{}'", key)};
  return found->get<std::string>();
}

// Inside the disk, whatever stands in the file.
bool stays_inside(std::string_view path) {
  if (path.find('\0') != std::string_view::npos || path.find('\\') != std::string_view::npos) return false;
  if (path.starts_with('/') || (path.size() > 1 && path[1] == ':')) return false;
  for (std::string_view rest = path; !rest.empty();) {
    const std::size_t end = std::min(rest.find('/'), rest.size());
    if (rest.substr(0, end) == "..") return false;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return true;
}

ManifestFacts facts_of(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) throw Malformed{"its head is no JSON object"};
  ManifestFacts facts;
  facts.run_id = text_in(json, "run_id");
  facts.disk = text_in(json, "disk");
  facts.phase = text_in(json, "phase");
  facts.expected = count_in(json, "expected");
  facts.granule = count_in(json, "block_size", kLargestGranule);
  facts.largest_write = count_in(json, "largest_write", ~std::uint32_t{0});  // no engine takes a longer one
  facts.run = count_in(json, "run");
  facts.seed = count_in(json, "seed");
  facts.last_generation = count_in(json, "last_generation", kLastGeneration);
  facts.extents = count_in(json, "extents", std::uint64_t{1} << 40);
  if (facts.granule == 0 || facts.granule % kStampSector != 0) throw Malformed{"its block size is no multiple of 512"};
  const auto files = json.find("files");
  if (files == json.end() || !files->is_array() || files->empty() || files->size() > 65536) {
    throw Malformed{"its head has no sound 'files'"};
  }
  for (const Json& file : *files) {
    if (!file.is_object()) throw Malformed{"its head has no sound 'files'"};
    facts.files.push_back({text_in(file, "path"), count_in(file, "size"), count_in(file, "flushed_below")});
    if (!stays_inside(facts.files.back().path)) throw Malformed{"a path in it leads out of the disk"};
  }
  return facts;
}

void check_extents(const ManifestFacts& facts, std::span<const ManifestExtent> extents) {
  std::uint64_t blocks = 0;
  std::uint64_t file = 0, from = 0;  // where the next one may begin
  for (const ManifestExtent& extent : extents) {
    if (extent.file > file) {
      file = extent.file;
      from = 0;
    }
    if (extent.file != file || file >= facts.files.size() || extent.first < from || extent.count == 0) {
      throw Malformed{"its extents are out of order"};
    }
    const std::uint64_t most = facts.files[file].size / facts.granule;
    if (extent.first >= most || extent.count > most - extent.first) throw Malformed{"an extent leads out of its file"};
    if (extent.oldest == 0 || extent.oldest > extent.newest || extent.newest > facts.last_generation ||
        extent.flags > (ManifestExtent::kInDoubt | ManifestExtent::kFlushed)) {
      throw Malformed{"an extent has impossible generations"};
    }
    from = extent.first + extent.count;
    blocks += extent.count;
  }
  if (blocks > facts.expected / facts.granule || blocks * facts.granule != facts.expected) {
    throw Malformed{"its extents are not what its head says"};
  }
}

std::string_view text_of(const SharedMapping& mapping) {
  return {reinterpret_cast<const char*>(mapping.data()), mapping.size()};
}

void check_first_line(std::string_view all) {
  if (!all.starts_with(kFirstLine.substr(0, kFirstLine.size() - 2))) throw Malformed{"it does not begin like one"};
  if (!all.starts_with(kFirstLine)) throw Malformed{"it is of another version"};
}

// The line of JSON; what is behind its newline begins at a multiple of an extent's size.
std::string_view head_of(std::string_view all) {
  const std::size_t end = all.substr(0, kMostHead).find('\n', kFirstLine.size());
  if (end == std::string_view::npos || (end + 1) % sizeof(ManifestExtent) != 0) throw Malformed{"its head has no end"};
  return all.substr(kFirstLine.size(), end - kFirstLine.size());
}

// Takes the whole apart.
std::pair<ManifestFacts, std::span<const ManifestExtent>> taken_apart(const SharedMapping& mapping) {
  const std::string_view all = text_of(mapping);
  check_first_line(all);
  if (all.size() % sizeof(ManifestExtent) != kSum) throw Malformed{"it is cut off"};
  std::uint64_t sum = 0;
  std::copy_n(all.data() + all.size() - kSum, kSum, reinterpret_cast<char*>(&sum));
  if (XXH3_64bits(all.data(), all.size() - kSum) != sum) throw Malformed{"its checksum does not hold: it was damaged"};
  const std::string_view head = head_of(all);
  ManifestFacts facts = facts_of(head);
  const std::size_t begin = kFirstLine.size() + head.size() + 1;
  if ((all.size() - kSum - begin) / sizeof(ManifestExtent) != facts.extents) throw Malformed{"it is cut off"};
  const std::span extents(reinterpret_cast<const ManifestExtent*>(mapping.data() + begin), facts.extents);
  check_extents(facts, extents);
  return {std::move(facts), extents};
}

}  // namespace

void write_manifest(const std::string& path, const WrittenMap& map, ManifestFacts facts) {
  const StampKey key = map.key();
  facts.run = key.run;
  facts.seed = key.seed;
  facts.granule = key.granule;
  facts.largest_write = map.largest_write();
  facts.last_generation = map.last_generation();
  facts.expected = facts.extents = 0;
  facts.files.resize(map.files());
  for (std::uint32_t file = 0; file < map.files(); ++file) {
    facts.files[file].size = map.file_size(file);
    facts.files[file].flushed_below = map.flushed_below(file);
  }
  visit_extents(map, [&](const ManifestExtent& extent) {
    ++facts.extents;
    facts.expected += std::uint64_t{extent.count} * facts.granule;
  });
  SummedFile file(path);
  file.append(head_text(facts));
  std::vector<ManifestExtent> ready;
  const auto flush = [&] {
    file.append({reinterpret_cast<const char*>(ready.data()), ready.size() * sizeof(ManifestExtent)});
    ready.clear();
  };
  visit_extents(map, [&](const ManifestExtent& extent) {
    ready.push_back(extent);
    if (ready.size() == kAtOnce) flush();
  });
  flush();
  file.commit();
}

Manifest::Manifest(const std::string& path) : mapping_(path, SharedMapping::Mode::read_only) {
  try {
    std::tie(facts_, extents_) = taken_apart(mapping_);
  } catch (const Malformed& fault) {
    throw Error(ErrorKind::unavailable,
                fmt::format("reading the manifest {}: {}; it must be the file that a phase with "
                            "`verify: write` has left, unchanged",
                            path, fault.why));
  }
}

std::span<const ManifestExtent> Manifest::extents_of(std::uint32_t file) const noexcept {
  const auto [begin, end] = std::ranges::equal_range(extents_, file, {}, &ManifestExtent::file);
  return {begin, end};
}

BlockExpectation Manifest::expectation(const ManifestExtent& extent) const noexcept {
  const bool in_doubt = (extent.flags & ManifestExtent::kInDoubt) != 0;
  return {extent.newest, extent.oldest, in_doubt ? facts_.last_generation : 0,
          (extent.flags & ManifestExtent::kFlushed) != 0};
}

ManifestFacts read_manifest_facts(const std::string& path) { return Manifest(path).facts(); }

std::string manifest_run_id(const std::string& path) noexcept {
  try {
    const SharedMapping mapping(path, SharedMapping::Mode::read_only);
    check_first_line(text_of(mapping));
    return facts_of(head_of(text_of(mapping))).run_id;
  } catch (const Error&) {
    return "";
  } catch (const Malformed&) {
    return "";
  }
}

}  // namespace diskproof
