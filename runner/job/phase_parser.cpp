// One phase, after inheritance.
#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "job/findings.hpp"
#include "job/inheritance.hpp"
#include "job/struct_parsers.hpp"
#include "support/cpu_list.hpp"

namespace diskproof {
namespace {

OperationMix parse_operations(MapReader& reader) {
  OperationMix mix;
  const Node* node = reader.take("operations");
  if (node == nullptr) return mix;
  mix = {0, 0, 0};
  if (node->kind == Node::Kind::map) {
    MapReader shares(*node, "operation_mix", reader.path_of("operations"), reader.context());
    shares.scalar("read", mix.read, parse_percent);
    shares.scalar("write", mix.write, parse_percent);
    shares.scalar("trim", mix.trim, parse_percent);
    for (const std::string_view key : {"read", "write", "trim"}) {
      if (reader.context().unusable.contains(shares.path_of(key))) reader.mark_unusable("operations");
    }
    return mix;
  }
  for (const auto& [name, share] :
       {std::pair{"read", &mix.read}, std::pair{"write", &mix.write}, std::pair{"trim", &mix.trim}}) {
    if (node->text == name) *share = 100;
  }
  if (mix.read + mix.write + mix.trim <= 0) reader.mark_unusable("operations");
  return mix;
}

Region parse_region(MapReader& reader) {
  Region region;
  const Node* node = reader.take("region");
  if (node == nullptr) return region;
  MapReader inner(*node, "region", reader.path_of("region"), reader.context());
  inner.scalar("from", region.from, parse_extent);
  inner.scalar("size", region.size, parse_extent);
  return region;
}

std::vector<std::uint32_t> parse_cpus(MapReader& reader) {
  std::vector<std::uint32_t> cpus;
  const Node* node = reader.take("cpus");
  if (node == nullptr) return cpus;
  for (const Node& item : node->items) {
    const auto range = parse_cpu_range(item.text);
    if (!range) {
      reader.mark_unusable("cpus");
      continue;
    }
    cpus.insert(cpus.end(), (*range).begin(), (*range).end());
  }
  return cpus;
}

std::optional<std::uint32_t> parse_files(MapReader& reader) {
  std::optional<std::uint32_t> count;
  const Node* node = reader.take("files");
  if (node == nullptr) return count;
  MapReader inner(*node, "files", reader.path_of("files"), reader.context());
  inner.scalar("count", count, parse_small_integer);
  return count;
}

// Exactly one rule; none or several are reported.
StopRule parse_stop(MapReader& reader, Location at) {
  StopRule stop;
  Nanoseconds duration{0};
  std::uint64_t bytes = 0;
  std::uint64_t operations = 0;
  reader.scalar("duration", duration, parse_duration);
  reader.scalar("bytes", bytes, parse_size);
  reader.scalar("operations_count", operations, parse_integer);
  std::vector<const Entry*> given;
  for (const std::string_view key : kStopKeys) {
    if (const Entry* entry = reader.map().find(key)) given.push_back(entry);
  }
  if (given.empty()) {
    if (reader.map().find("precondition") != nullptr) return stop;  // it is its fills
    reader.mark_unusable("stop");
    reader.context().error(at, reader.path(), "has no stop rule", "add one of duration, bytes, operations_count");
    return stop;
  }
  std::sort(given.begin(), given.end(), [](const Entry* a, const Entry* b) {
    return std::pair(a->key_at.line, a->key_at.column) < std::pair(b->key_at.line, b->key_at.column);
  });
  if (given.size() > 1) {
    reader.context().error(given[1]->key_at, reader.path_of(given[1]->key),
                           fmt::format("a second stop rule; {} is given too", given[0]->key), "keep one of them");
  }
  const std::string& key = given[0]->key;
  if (given.size() > 1 || key == "until" || reader.context().unusable.contains(reader.path_of(key)))
    reader.mark_unusable("stop");
  if (key == "duration") stop = {StopRule::Kind::duration, static_cast<std::uint64_t>(duration.count())};
  if (key == "bytes") stop = {StopRule::Kind::bytes, bytes};
  if (key == "operations_count") stop = {StopRule::Kind::operations, operations};
  return stop;
}

// Exactly one of iops and bandwidth.
std::optional<LoadRate> parse_rate(MapReader& reader) {
  const Node* node = reader.take("rate");
  if (node == nullptr) return std::nullopt;
  LoadRate rate;
  const std::string path = reader.path_of("rate");
  MapReader inner(*node, "rate", path, reader.context());
  inner.scalar("iops", rate.iops, parse_rate_iops);
  inner.scalar("bandwidth", rate.bandwidth, parse_rate_bandwidth);
  inner.scalar("arrival", rate.arrival, parse_arrival);
  const Entry* iops = node->find("iops");
  const Entry* bandwidth = node->find("bandwidth");
  if (node->kind == Node::Kind::map && iops == nullptr && bandwidth == nullptr) {
    reader.context().error(node->at, path, "says no rate", "add one of iops, bandwidth");
  } else if (iops != nullptr && bandwidth != nullptr) {
    reader.context().error(bandwidth->key_at, inner.path_of("bandwidth"), "a second rate; iops is given too",
                           "keep one of them");
  }
  const bool usable = rate.iops.has_value() != rate.bandwidth.has_value();
  if (!usable) reader.mark_unusable("rate");
  return usable ? std::optional(rate) : std::nullopt;
}

FlushRule parse_flushes(MapReader& reader) {
  FlushRule rule;
  const Node* node = reader.take("fsync");
  if (node == nullptr) return rule;
  MapReader inner(*node, "fsync", reader.path_of("fsync"), reader.context());
  inner.scalar("every", rule.every, parse_integer);
  inner.scalar("end", rule.end, parse_boolean);
  inner.scalar("data_only", rule.data_only, parse_boolean);
  if (node->kind == Node::Kind::map && node->find("every") == nullptr && node->find("end") == nullptr) {
    reader.context().error(node->at, reader.path_of("fsync"), "does not say when to flush",
                           "add every: N (writes), end: true or both");
  }
  return rule;
}

DataShape parse_data(MapReader& reader) {
  DataShape shape;
  const Node* node = reader.take("data");
  if (node == nullptr) return shape;
  MapReader inner(*node, "data", reader.path_of("data"), reader.context());
  inner.scalar("compressible", shape.compressible, parse_percent);
  inner.scalar("dedupe", shape.dedupe, parse_percent);
  return shape;
}

}  // namespace

std::optional<Precondition> parse_precondition(MapReader& reader) {
  const Node* node = reader.take("precondition");
  if (node == nullptr) return std::nullopt;
  Precondition fills;
  MapReader inner(*node, "precondition", reader.path_of("precondition"), reader.context());
  inner.scalar("sequential", fills.sequential, parse_integer);
  inner.scalar("random", fills.random, parse_integer);
  inner.scalar("block_size", fills.block_size, parse_size);
  return fills;
}

// Cells are phases already; what is left of a matrix is wrong, and reported.
void refuse_matrix(MapReader& reader) {
  const Node* node = reader.take("matrix");
  if (node == nullptr) return;
  MapReader inner(*node, "matrix", reader.path_of("matrix"), reader.context());
  inner.take("include");
  inner.take("exclude");
  reader.mark_unusable("matrix");
}

std::vector<Threshold> parse_thresholds(MapReader& reader) {
  std::vector<Threshold> thresholds;
  const Node* node = reader.take("thresholds");
  if (node == nullptr) return thresholds;
  for (std::size_t i = 0; i < node->items.size(); ++i) {
    const Node& item = node->items[i];
    Threshold threshold;
    if (item.kind == Node::Kind::map) {
      std::string severity;
      MapReader inner(item, "threshold_map", child_path(reader.path_of("thresholds"), i), reader.context());
      inner.scalar("check", threshold.check, parse_text);
      inner.scalar("severity", severity, parse_text);
      threshold.warn = severity == "warn";
    } else {
      threshold.check = item.text;
    }
    thresholds.push_back(std::move(threshold));
  }
  return thresholds;
}

std::map<std::string, Severity> parse_findings(MapReader& reader) {
  std::map<std::string, Severity> findings;
  const Node* node = reader.take("findings");
  if (node == nullptr) return findings;
  for (const auto& [name, by_default] : kFindings) {
    MapReader inner(*node, "findings", reader.path_of("findings"), reader.context());
    std::optional<Severity> severity;
    inner.scalar(name, severity, parse_severity);
    if (severity) findings[std::string(name)] = *severity;
  }
  return findings;
}

Phase parse_phase(const Node& node, const std::string& path, ParseContext& context) {
  Phase phase;
  phase.path = path;
  MapReader reader(node, "phase", path, context);
  reader.scalar("name", phase.name, parse_text);
  reader.scalar("disk", phase.disk, parse_text);
  reader.scalar("size", phase.size, parse_extent);
  phase.files = parse_files(reader);
  phase.region = parse_region(reader);
  reader.scalar("layout", phase.layout, parse_layout);
  parse_access_pattern(reader, phase);
  reader.scalar("shared", phase.shared, parse_boolean);
  phase.operations = parse_operations(reader);
  parse_block_sizes(reader, phase);
  reader.scalar("queue_depth", phase.queue_depth, parse_small_integer);
  reader.scalar("threads", phase.threads, parse_small_integer);
  reader.scalar("batch", phase.batch, parse_batch);
  phase.cpus = parse_cpus(reader);
  phase.rate = parse_rate(reader);
  reader.scalar("think_time", phase.think_time, parse_duration);
  reader.scalar("sync", phase.sync, parse_durability);
  phase.fsync = parse_flushes(reader);
  phase.data = parse_data(reader);
  phase.engines = parse_engines(reader);
  reader.scalar("direct", phase.direct, parse_boolean);
  reader.scalar("seed", phase.seed, parse_integer);
  refuse_matrix(reader);
  reader.scalar("pause", phase.pause, parse_duration);
  phase.precondition = parse_precondition(reader);
  reader.scalar("warmup", phase.warmup, parse_duration);
  reader.scalar("sample", phase.sample, parse_duration);
  parse_verify(reader, phase);
  if (!phase.verify.checks()) phase.stop = parse_stop(reader, node.at);  // a check ends when it has read everything
  const bool stops =
      std::any_of(kStopKeys.begin(), kStopKeys.end(), [&](std::string_view key) { return node.find(key) != nullptr; });
  phase.only_precondition = phase.precondition && !stops;
  reader.scalar("timeout", phase.timeout, parse_duration);
  reader.scalar("io_timeout", phase.io_timeout, parse_duration);
  reader.scalar("max_errors", phase.max_errors, parse_integer);
  phase.repeat = parse_repeat(reader);
  phase.limits = parse_limits(reader);
  phase.thresholds = parse_thresholds(reader);
  phase.aborts = parse_texts(reader, "abort");
  phase.findings = parse_findings(reader);
  reader.scalar("optional", phase.optional, parse_boolean);
  phase.required = parse_texts(reader, "requires");
  return phase;
}

}  // namespace diskproof
