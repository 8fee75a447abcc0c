// The parsers of the structs inside a Job; job_parser puts them together.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "job/job.hpp"
#include "job/node.hpp"
#include "job/value_reader.hpp"

namespace diskproof {

// The keys `engine` and `limits`, which disks and phases share.
std::vector<EngineChoice> parse_engines(MapReader& reader);
std::vector<LimitGroup> parse_limits(MapReader& reader);

// The keys `access` and `block_size`.
void parse_access_pattern(MapReader& reader, Phase& phase);
void parse_block_sizes(MapReader& reader, Phase& phase);

// The keys `thresholds` and `findings`, which groups and phases share.
std::vector<Threshold> parse_thresholds(MapReader& reader);
std::map<std::string, Severity> parse_findings(MapReader& reader);

// The key `repeat`.
Repeat parse_repeat(MapReader& reader);

// A list of texts; empty where the key is absent.
std::vector<std::string> parse_texts(MapReader& reader, std::string_view key);

// The keys `loop` and `mount`, and those of disks that are formatted, attached or throttled.
void parse_loop(MapReader& disk, Disk& out);
void parse_mount(MapReader& disk, Disk& out);
void parse_device_keys(MapReader& disk, Disk& out);

// The key `verify`, and what it means for the phase's load.
void parse_verify(MapReader& reader, Phase& phase);

// Of a phase that is a check: `phase` has everything inherited, `own` is what it says itself. Takes away what has no
// meaning for it; what it says itself is an error.
void drop_load_of_check(Node& phase, const Node& own, const std::string& path, ParseContext& context);

Disk parse_disk(const Entry& entry, ParseContext& context);
// `node` has everything inherited already.
Phase parse_phase(const Node& node, const std::string& path, ParseContext& context);

}  // namespace diskproof
