// Manifests that a killed run owes are made by its cleanup.
#include <doctest/doctest.h>
#include <filesystem>

#include "disk_samples.hpp"
#include "integrity/manifest.hpp"
#include "integrity/owed_manifest.hpp"
#include "support/path_text.hpp"
#include "target/cleanup.hpp"

namespace diskproof {
namespace {

JournalHeader dead_header() {
  JournalHeader header = sample_header("run-1");
  header.process.start_time += 1;  // nobody of that pid and start time runs
  return header;
}

AbandonedRun only_run(const TempFolder& state) {
  const auto runs = find_abandoned_runs(state.path());
  REQUIRE(runs.size() == 1);
  return runs[0];
}

// A map with one written block, and the manifest that is owed of it.
void leave_owed(const std::string& run_folder, const std::string& manifest) {
  const std::string map_path = path_in(run_folder, "engines/verify-data-1.map");
  OwedManifest owed{.path = manifest, .facts = {}};
  owed.facts.run_id = "run-1";
  owed.facts.files = {{.path = ""}};
  owe_manifest(map_path, owed);
  WrittenMap map(map_path, {1, 2, 512}, std::vector<std::uint64_t>{4096});
  MapWriter writer(map, 0, 1);
  writer.begin_write(0, 0, 512);
  writer.acknowledge(0);
}

TEST_CASE("cleanup: the manifest that a killed run owes is made before its map goes") {
  const TempFolder state, out;
  Journal(state.path(), dead_header());
  const AbandonedRun run = only_run(state);
  leave_owed(run.folder, out.path("load.manifest"));
  CHECK(manifests_owed(run) == std::vector{out.path("load.manifest")});
  out.write("load.manifest", "of somebody else");
  auto steps = clean_up(run);
  REQUIRE(steps.size() == 1);
  CHECK(steps[0].name == "make the manifest " + out.path("load.manifest"));
  CHECK(steps[0].outcome == Outcome::error);
  CHECK(out.read("load.manifest") == "of somebody else");
  CHECK_FALSE(has_no_run(state.path()));  // its map stays for another try
  std::filesystem::remove(out.path("load.manifest"));
  steps = clean_up(run);
  REQUIRE(steps.size() == 1);
  CHECK(steps[0].reason == "");
  CHECK(read_manifest_facts(out.path("load.manifest")).expected == 512);
  CHECK(has_no_run(state.path()));
}

TEST_CASE("cleanup: after the machine was started anew no manifest is made of a map that may not be whole") {
  const TempFolder state, out;
  JournalHeader header = dead_header();
  header.process.boot_id = "another";
  Journal(state.path(), header);
  const AbandonedRun run = only_run(state);
  leave_owed(run.folder, out.path("load.manifest"));
  const auto steps = clean_up(run);
  REQUIRE(steps.size() == 1);
  CHECK(steps[0].reason.find("started anew") != std::string::npos);
  CHECK_FALSE(out.has("load.manifest"));
  CHECK(has_no_run(state.path()));
}

}  // namespace
}  // namespace diskproof
