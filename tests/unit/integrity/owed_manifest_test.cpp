// What a run owes of its maps is made by whoever ends it, and never over what another run has left.
#include "integrity/owed_manifest.hpp"

#include <doctest/doctest.h>
#include <filesystem>

#include "integrity/manifest.hpp"
#include "support/error.hpp"
#include "support/temp_folder.hpp"

using namespace diskproof;

namespace {

constexpr std::uint64_t kBlock = 512;

// A map with one written block, as a process that was killed leaves it.
struct Bed {
  TempFolder state, out;
  const std::string map = state.path("d.map");
  const std::string manifest = out.path("results/load.manifest");

  void write() const {
    WrittenMap made(map, {7, 8, kBlock}, std::vector<std::uint64_t>{10 * kBlock});
    MapWriter writer(made, 0, 1);
    writer.begin_write(0, 3 * kBlock, kBlock);
    writer.acknowledge(0);
  }
  void owe(const std::string& run_id = "run-1") const {
    OwedManifest owed{.path = manifest, .facts = {}};
    owed.facts.run_id = run_id;
    owed.facts.disk = "d";
    owed.facts.phase = "load";
    owed.facts.files = {{.path = "a/t0.dat"}};
    owe_manifest(map, owed);
  }
  [[nodiscard]] std::vector<SettledManifest> settle(bool maps_hold = true) const {
    return settle_manifests(state.path(), maps_hold);
  }
};

}  // namespace

TEST_CASE("owed manifest: what the run did not come to make is made once - with its folder") {
  const Bed bed;
  bed.owe();
  CHECK(bed.settle().empty());  // nothing was written yet
  bed.write();
  const auto settled = bed.settle();
  REQUIRE(settled.size() == 1);
  CHECK(settled[0].path == bed.manifest);
  CHECK(settled[0].fault == "");
  const ManifestFacts facts = read_manifest_facts(bed.manifest);
  CHECK(facts.run_id == "run-1");
  CHECK(facts.disk == "d");
  CHECK(facts.phase == "load");
  CHECK(facts.files.at(0).path == "a/t0.dat");
  CHECK(facts.expected == kBlock);
  CHECK(manifest_run_id(bed.manifest) == "run-1");
  CHECK(bed.settle().empty());
}

TEST_CASE("owed manifest: the run itself makes it anew after each phase - but not over that of another run") {
  const Bed bed;
  CHECK_FALSE(make_owed_manifest(bed.map));
  bed.write();
  CHECK_FALSE(make_owed_manifest(bed.map));
  std::filesystem::create_directory(bed.out.path("results"));
  bed.owe("run-0");
  CHECK(owed_manifests(bed.state.path()) == std::vector{bed.manifest});
  CHECK(make_owed_manifest(bed.map));
  CHECK(make_owed_manifest(bed.map));
  CHECK(owed_manifests(bed.state.path()).empty());
  bed.owe();
  CHECK_THROWS_WITH_AS(make_owed_manifest(bed.map), doctest::Contains("that of run run-0 came to its place"), Error);
  CHECK(manifest_run_id(bed.manifest) == "run-0");
  std::filesystem::remove(bed.manifest);
  CHECK(make_owed_manifest(bed.map));
  CHECK(manifest_run_id(bed.manifest) == "run-1");
}

TEST_CASE("owed manifest: that of another run stays - and the map too") {
  const Bed bed;
  bed.write();
  bed.owe("run-2");
  CHECK(bed.settle().size() == 1);
  bed.owe();
  auto settled = bed.settle();
  REQUIRE(settled.size() == 1);
  CHECK(settled[0].fault.find("of another run is there; move it away") != std::string::npos);
  CHECK(manifest_run_id(bed.manifest) == "run-2");
  std::filesystem::remove(bed.manifest);
  settled = bed.settle();
  REQUIRE(settled.size() == 1);
  CHECK(settled[0].fault == "");
}

TEST_CASE("owed manifest: what was forgiven or may not be whole is not made") {
  const Bed bed;
  bed.write();
  bed.owe();
  const auto settled = bed.settle(false);
  REQUIRE(settled.size() == 1);
  CHECK(settled[0].fault.find("started anew") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(bed.manifest));
  forgive_manifest(bed.map);
  CHECK(bed.settle().empty());
  CHECK_FALSE(make_owed_manifest(bed.map));
}

TEST_CASE("owed manifest: a damaged record or map is said and no other suffers") {
  const Bed bed;
  bed.write();
  bed.owe();
  bed.state.write("a.map.owed", "{");
  bed.state.write("a.map", "x");
  bed.state.write("b.map.owed", bed.state.read("d.map.owed"));
  bed.state.write("b.map", "x");
  const auto settled = bed.settle();
  REQUIRE(settled.size() == 3);
  CHECK(settled[0].fault.find("a.map.owed cannot be read") != std::string::npos);
  CHECK(settled[1].fault.find("no map of what was written") != std::string::npos);
  CHECK(settled[2].fault == "");
}

TEST_CASE("owed manifest: the run of a manifest is told where there is one") {
  const TempFolder folder;
  CHECK(manifest_run_id(folder.path("none")) == "");
  CHECK(manifest_run_id(folder.path()) == "");
  CHECK(manifest_run_id(folder.write("empty", "")) == "");
  CHECK(manifest_run_id(folder.write("other", "diskproof manifest 2\n{\"run_id\": \"r\"}\n")) == "");
  CHECK(manifest_run_id(folder.write("cut", "diskproof manifest 1\n{\"run_id\": \"r\"")) == "");
}
