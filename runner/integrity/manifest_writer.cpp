// Writing manifests: twice through the map, first to count.
#include <nlohmann/json.hpp>
#include <string_view>

#include "integrity/manifest.hpp"
#include "integrity/manifest_form.hpp"
#include "support/atomic_file.hpp"
#include "support/path_text.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace diskproof {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kExtentsAtOnce = 4096;  // extents per write

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
  std::string text(kManifestFirstLine);
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
    if (ready.size() == kExtentsAtOnce) flush();
  });
  flush();
  file.commit();
}

}  // namespace diskproof
