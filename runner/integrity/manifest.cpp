// Reading manifests. Nothing of a file is believed: every number is held against the others, and the checksum against
// all of it.
#include "integrity/manifest.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "integrity/manifest_form.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"
#include "support/regular_file.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace diskproof {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostHead = std::size_t{1} << 26;  // bytes before the extents: 65,536 files with long paths
constexpr std::size_t kReadAtOnce = std::size_t{1} << 20;
constexpr std::uint64_t kLargestGranule = std::uint64_t{1} << 30;

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

void check_first_line(std::string_view all) {
  constexpr std::size_t kWithoutVersion = kManifestFirstLine.size() - 2;
  if (!all.starts_with(kManifestFirstLine.substr(0, kWithoutVersion))) throw Malformed{"it does not begin like one"};
  if (!all.starts_with(kManifestFirstLine)) throw Malformed{"it is of another version"};
}

// Both lines. They end at a multiple of an extent's size, so nothing behind them is read.
std::string read_head(RegularFile& file) {
  std::string head;
  char piece[sizeof(ManifestExtent)];
  do {
    const std::size_t got = file.read(piece, sizeof piece);
    head.append(piece, got);
    if (head.size() <= sizeof piece) check_first_line(head);
    if (got < sizeof piece) throw Malformed{"it is cut off"};
  } while (head.back() != '\n' && head.size() < kMostHead);
  return head;
}

ManifestFacts facts_of_head(std::string_view head) {
  const std::string_view json = head.substr(kManifestFirstLine.size());
  if (json.find('\n') != json.size() - 1) throw Malformed{"its head has no end"};
  return facts_of(json);
}

// Reads `bytes` of extents to `into`, or past them where it is null, and holds the checksum against it all.
void read_extents(RegularFile& file, std::string_view head, std::uint64_t bytes, std::byte* into) {
  const std::unique_ptr<char[]> buffer(new char[kReadAtOnce]);
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), &XXH3_freeState);
  XXH3_64bits_reset(state.get());
  XXH3_64bits_update(state.get(), head.data(), head.size());
  for (std::uint64_t done = 0; done < bytes;) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(bytes - done, kReadAtOnce));
    char* const place = into == nullptr ? buffer.get() : reinterpret_cast<char*>(into + done);
    if (file.read(place, wanted) < wanted) throw Malformed{"it is cut off"};
    XXH3_64bits_update(state.get(), place, wanted);
    done += wanted;
  }
  std::uint64_t sum = 0;
  if (file.read(reinterpret_cast<char*>(&sum), sizeof sum) < sizeof sum) throw Malformed{"it is cut off"};
  if (XXH3_64bits_digest(state.get()) != sum) throw Malformed{"its checksum does not hold: it was damaged"};
}

// What there is between head and checksum, which must be as many extents as the head says.
std::uint64_t bytes_of_extents(const RegularFile& file, std::string_view head, const ManifestFacts& facts) {
  const std::uint64_t rest = file.size() - std::min<std::uint64_t>(file.size(), head.size());
  const std::uint64_t bytes = facts.extents * sizeof(ManifestExtent);
  if (rest != bytes + kManifestSum) throw Malformed{"it is cut off"};
  return bytes;
}

[[noreturn]] void refuse(const std::string& path, const Malformed& fault) {
  throw Error(ErrorKind::unavailable,
              fmt::format("reading the manifest {}: {}; it must be the file that a phase with `verify: write` has "
                          "left, unchanged",
                          path, fault.why));
}

}  // namespace

Manifest::Manifest(const std::string& path, const std::string& copy) {
  try {
    RegularFile file(path);
    const std::string head = read_head(file);
    facts_ = facts_of_head(head);
    const std::uint64_t bytes = bytes_of_extents(file, head, facts_);
    std::error_code none;
    std::filesystem::remove(path_from(copy), none);  // of a run that was killed
    copy_.emplace(copy, SharedMapping::Mode::make, std::max<std::uint64_t>(bytes, 1));
    std::filesystem::remove(path_from(copy), none);  // what is mapped stays; on Windows the file does, too
    read_extents(file, head, bytes, copy_->data());
    extents_ = {reinterpret_cast<const ManifestExtent*>(copy_->data()), facts_.extents};
    check_extents(facts_, extents_);
  } catch (const Malformed& fault) {
    refuse(path, fault);
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

ManifestFacts read_manifest_facts(const std::string& path) {
  try {
    RegularFile file(path);
    const std::string head = read_head(file);
    ManifestFacts facts = facts_of_head(head);
    read_extents(file, head, bytes_of_extents(file, head, facts), nullptr);
    return facts;
  } catch (const Malformed& fault) {
    refuse(path, fault);
  }
}

std::string manifest_run_id(const std::string& path) noexcept {
  try {
    RegularFile file(path);
    return facts_of_head(read_head(file)).run_id;
  } catch (const Error&) {
    return "";
  } catch (const Malformed&) {
    return "";
  }
}

}  // namespace diskproof
