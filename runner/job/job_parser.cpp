// Everything is read that can be read, so that the rules of job_validator report as much as possible at once.
#include "job/job_parser.hpp"

#include "job/inheritance.hpp"
#include "job/limit_formula.hpp"
#include "job/struct_parsers.hpp"

namespace diskproof {
namespace {

void record_places(const Node& node, const std::string& path, SourceMap& source) {
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const std::string at = child_path(path, i);
    source.add(at, node.items[i].at);
    record_places(node.items[i], at, source);
  }
  for (const Entry& entry : node.entries) {
    const std::string at = child_path(path, entry.key);
    source.add(at, entry.key_at);
    record_places(entry.value, at, source);
  }
}

const Node* map_value(const Node* map, std::string_view key) { return map == nullptr ? nullptr : map->value(key); }

// Groups of phases come in a later version.
bool is_group(const Node& phase) {
  return phase.find("parallel") != nullptr || phase.find("rounds") != nullptr || phase.find("phases") != nullptr;
}

void resolve_formulas(Node& holder, const Node* disk, const std::string& path, ParseContext& context) {
  for (Entry& entry : holder.entries) {
    if (entry.key == "limits") resolve_limit_formulas(entry.value, disk, child_path(path, "limits"), context);
  }
}

void parse_phases(const Node& phases, const Node* disks, const Node* defaults, Job& job, ParseContext& context) {
  for (std::size_t i = 0; i < phases.items.size(); ++i) {
    const Node& own = phases.items[i];
    const std::string path = child_path("phases", i);
    // Reported by the schema check; the others keep their numbers.
    if (own.kind != Node::Kind::map || is_group(own)) {
      context.unusable.insert(path);
      job.phases.emplace_back().path = path;
      continue;
    }
    const Node* disk_name = own.value("disk") != nullptr ? own.value("disk") : map_value(defaults, "disk");
    const Node* disk = disk_name == nullptr ? nullptr : map_value(disks, disk_name->text);
    Node node = effective_phase(defaults, disk, own);
    resolve_formulas(node, disk, path, context);
    record_places(node, path, job.source);
    job.phases.push_back(parse_phase(node, path, context));
  }
}

}  // namespace

Job parse_job(const Node& root, ParseContext& context) {
  Job job;
  job.file = context.file;
  record_places(root, {}, job.source);
  MapReader reader(root, "job", {}, context);
  reader.take("diskproof");
  reader.take("vars");
  reader.scalar("name", job.name, parse_text);
  reader.scalar("description", job.description, parse_text);
  reader.scalar("timeout", job.timeout, parse_duration);
  reader.scalar("memory_limit", job.memory_limit, parse_size);
  if (const Node* labels = reader.take("labels")) {
    for (const Entry& entry : labels->entries) job.labels[entry.key] = entry.value.text;
  }
  const Node* disks = reader.take("disks");
  if (disks != nullptr) {
    for (const Entry& entry : disks->entries) {
      if (entry.value.kind == Node::Kind::map) {
        Entry disk = entry;
        resolve_formulas(disk.value, &entry.value, child_path("disks", entry.key), context);
        job.disks.push_back(parse_disk(disk, context));
      } else {
        context.unusable.insert("disks");
      }
    }
  }
  const Node* defaults = reader.take("defaults");
  if (const Node* phases = reader.take("phases")) parse_phases(*phases, disks, defaults, job, context);
  return job;
}

}  // namespace diskproof
