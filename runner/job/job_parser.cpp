// Everything is read that can be read, so that the rules of job_validator report as much as possible at once.
#include "job/job_parser.hpp"

#include "job/group_parser.hpp"
#include "job/inheritance.hpp"
#include "job/limit_formula.hpp"
#include "job/struct_parsers.hpp"

namespace diskproof {
namespace {

void record_places(const Node& node, const std::string& path, SourceMap& source) {
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const std::string at = child_path(path, i);
    source.add(at, node.items[i].at);
    if (node.items[i].origin) source.add_origin(at, node.items[i].origin->path, node.items[i].origin->cell);
    record_places(node.items[i], at, source);
  }
  for (const Entry& entry : node.entries) {
    const std::string at = child_path(path, entry.key);
    source.add(at, entry.key_at);
    record_places(entry.value, at, source);
  }
}

void resolve_formulas(Node& holder, const Node* disk, const std::string& path, ParseContext& context) {
  for (Entry& entry : holder.entries) {
    if (entry.key == "limits") resolve_limit_formulas(entry.value, disk, child_path(path, "limits"), context);
  }
}

void parse_phases(const Node& phases, const JobParts& parts, Job& job, ParseContext& context) {
  // A phase with everything inherited, before it is read.
  const auto finish = [&](Node& phase, const Node* disk, const std::string& path) {
    resolve_formulas(phase, disk, path, context);
    record_places(phase, path, job.source);
  };
  for (std::size_t i = 0; i < phases.items.size(); ++i) {
    const Node& own = phases.items[i];
    const std::string path = child_path("phases", i);
    if (is_group(own)) {
      parse_group(own, path, parts, finish, job, context);
    } else if (own.kind == Node::Kind::map) {
      const Node* disk = parts.disk_of(own, nullptr);
      Node node = effective_phase(parts.defaults, disk, nullptr, own);
      drop_load_of_check(node, own, path, context);
      finish(node, disk, path);
      job.phases.push_back(parse_phase(node, path, context));
    } else {  // reported by the schema check
      context.unusable.insert(path);
      job.phases.emplace_back().path = path;
    }
  }
}

// What makes a group of an entry of `phases` makes no sense for all of them.
void check_defaults(const Node* defaults, ParseContext& context) {
  if (defaults == nullptr) return;
  for (const Entry& entry : defaults->entries) {
    if (!is_group_key(entry.key)) continue;
    context.error(entry.key_at, child_path("defaults", entry.key),
                  "makes a group, which only an entry of phases can be", "write it there");
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
  reader.scalar("max_written", job.max_written, parse_size);
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
  check_defaults(defaults, context);
  if (const Node* phases = reader.take("phases")) parse_phases(*phases, {disks, defaults}, job, context);
  return job;
}

}  // namespace diskproof
