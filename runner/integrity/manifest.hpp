// What was written, as a file that outlives the run: `<out>/<phase>.manifest`. One line that names the format, one line
// of JSON for people and programs, then extents of 32 bytes, then the XXH3 (64 bit) of all of it. It is written whole
// or not at all. Who works with its extents has a private copy of them, mapped: whatever happens to the file meanwhile
// changes nothing, and its size costs no memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "integrity/block_check.hpp"
#include "integrity/manifest_facts.hpp"
#include "integrity/shared_mapping.hpp"
#include "integrity/written_map.hpp"

namespace diskproof {

// Little-endian. Ascending by file and place, without overlap.
struct ManifestExtent {
  static constexpr std::uint16_t kInDoubt = 1;  // a write was in flight at the end, or failed
  static constexpr std::uint16_t kFlushed = 2;  // a flush completed after the acknowledgement

  std::uint64_t first;   // granule of the file
  std::uint64_t newest;  // generation, all of one write
  std::uint64_t oldest;
  std::uint32_t count;  // granules
  std::uint16_t file;
  std::uint16_t flags;
};
static_assert(sizeof(ManifestExtent) == 32);

// Writes what `map` knows to `path`. `facts` gives names and paths, as many files as the map has. Throws Error{failed}.
void write_manifest(const std::string& path, const WrittenMap& map, ManifestFacts facts);

class Manifest {
 public:
  // Copies the extents to `copy`, where nobody else has a file, and which is gone with this object at the latest when
  // its folder is. Throws Error{unavailable} naming the path and what is wrong with it: it may be anything.
  Manifest(const std::string& path, const std::string& copy);

  [[nodiscard]] const ManifestFacts& facts() const noexcept { return facts_; }
  [[nodiscard]] StampKey key() const noexcept {
    return {facts_.run, facts_.seed, static_cast<std::uint32_t>(facts_.granule)};
  }
  [[nodiscard]] std::span<const ManifestExtent> extents() const noexcept { return extents_; }
  [[nodiscard]] std::span<const ManifestExtent> extents_of(std::uint32_t file) const noexcept;
  [[nodiscard]] BlockExpectation expectation(const ManifestExtent& extent) const noexcept;

 private:
  std::optional<SharedMapping> copy_;
  ManifestFacts facts_;
  std::span<const ManifestExtent> extents_;
};

// Throws like Manifest. The extents are not looked at, but for their checksum.
ManifestFacts read_manifest_facts(const std::string& path);

// The run that its head names, which nothing is checked of; empty: it is not there, or has no such head.
std::string manifest_run_id(const std::string& path) noexcept;

}  // namespace diskproof
