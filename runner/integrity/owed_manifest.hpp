// A manifest that a run owes from before a phase's first stamped write: where it goes and what the map does not know,
// in a file beside the map. So whoever ends the run makes it, the runner itself or the cleanup of one that was killed.
#pragma once

#include <string>
#include <vector>

#include "integrity/manifest_facts.hpp"

namespace diskproof {

struct OwedManifest {
  std::string path;     // absolute
  ManifestFacts facts;  // run_id, disk, phase and the paths of the files; the rest is in the map
};

// Durable when it returns; replaces what was owed of the map before. Throws Error{failed}.
void owe_manifest(const std::string& map_path, const OwedManifest& owed);
// Nothing is owed of the map any more: others have written over its data.
void forgive_manifest(const std::string& map_path) noexcept;

// Makes what is owed of the map. False: nothing is, or the map was never made. Throws Error, also where the manifest of
// another run came to its place meanwhile.
bool make_owed_manifest(const std::string& map_path);

// Paths of those that are owed of maps in `folder` and are not there yet.
std::vector<std::string> owed_manifests(const std::string& folder);

struct SettledManifest {
  std::string path;
  std::string fault;  // why it could not be made; empty: it was
};

// Makes what is owed of each map in `folder` and is not there yet. `maps_hold` false: the machine was started anew
// since they were written, so what was acknowledged last may not be in them; then none is made.
std::vector<SettledManifest> settle_manifests(const std::string& folder, bool maps_hold);

}  // namespace diskproof
