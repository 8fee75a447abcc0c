// A group: what it says itself, and its phases with everything they inherit.
#include "job/group_parser.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "job/inheritance.hpp"
#include "job/struct_parsers.hpp"

namespace diskproof {
namespace {

constexpr std::array<std::string_view, 2> kRoundKeys{"count", "interval"};  // of a phase's `repeat`

const Node* repeat_of(const Node* layer) { return layer == nullptr ? nullptr : layer->value("repeat"); }

// How often and when a phase of rounds runs is said by the group alone.
bool says_rounds(const Node* layer, const std::string& path, ParseContext& context) {
  bool found = false;
  for (const std::string_view key : kRoundKeys) {
    const Node* repeat = repeat_of(layer);
    const Entry* entry = repeat == nullptr ? nullptr : repeat->find(key);
    if (entry == nullptr) continue;
    context.error(entry->key_at, fmt::format("{}.repeat.{}", path, key),
                  "the group's rounds say how often its phases run, and when",
                  fmt::format("write it as rounds.{}", key));
    found = true;
  }
  return found;
}

// Its `repeat` with count and interval of the rounds: the runs of a phase are its turns. Without `rounds`, or a count
// in them, there is something to report already, and no `repeat`.
void set_rounds(Node& phase, const Node* rounds) {
  Node own;
  own.kind = Node::Kind::map;
  if (const Node* repeat = phase.value("repeat"); repeat != nullptr && repeat->kind == Node::Kind::map) own = *repeat;
  std::erase_if(phase.entries, [](const Entry& entry) { return entry.key == "repeat"; });
  if (rounds == nullptr || rounds->find("count") == nullptr) return;
  for (const std::string_view key : kRoundKeys) {
    std::erase_if(own.entries, [key](const Entry& entry) { return entry.key == key; });
    if (const Entry* entry = rounds->find(key)) own.entries.push_back(*entry);
  }
  phase.entries.push_back({"repeat", rounds->at, std::move(own)});
}

class GroupParser {
 public:
  GroupParser(const Node& own, const std::string& path, const JobParts& parts, ParseContext& context)
      : own_(own), path_(path), parts_(parts), context_(context), reader_(own, "phase", path, context) {}

  void parse(Job& job, const FinishNode& finish) {
    Group group;
    group.path = path_;
    reader_.scalar("name", group.name, parse_text);
    reader_.scalar("timeout", group.timeout, parse_duration);
    group.thresholds = parse_thresholds(reader_);
    const Node merged = effective_phase(parts_.defaults, nullptr, nullptr, own_);
    MapReader inherited(merged, "phase", path_, context_);
    group.findings = parse_findings(inherited);
    const Node* members = members_of(group);
    if (members == nullptr) {
      context_.unusable.insert(path_);
      return;
    }
    for (std::size_t i = 0; i < members->items.size(); ++i) {
      const std::string at = child_path(child_path(path_, group.rounds ? "phases" : "parallel"), i);
      Phase phase = parse_member(members->items[i], at, finish);
      phase.group = group.name;
      group.phases.push_back(job.phases.size());
      job.phases.push_back(std::move(phase));
    }
    job.groups.push_back(std::move(group));
  }

 private:
  void error(std::string_view key, std::string message, std::string hint) {
    context_.error(own_.find(key)->key_at, child_path(path_, key), std::move(message), std::move(hint));
  }

  // The list of its phases; nullptr when it is not clear what the group is.
  const Node* members_of(Group& group) {
    const Node* parallel = reader_.take("parallel");
    const Node* rounds = reader_.take("rounds");
    const Node* phases = reader_.take("phases");
    if (parallel != nullptr && rounds != nullptr) {
      error("rounds", "phases run in parallel or in rounds, not both", "keep one of them");
    } else if (parallel != nullptr && phases != nullptr) {
      error("phases", "the phases of a parallel group stand under parallel", "move them there");
    } else if (parallel == nullptr && rounds == nullptr) {
      error("phases", "a group needs to say how its phases run", "add rounds: {count: N}, or write parallel: [phases]");
    } else if (parallel == nullptr && phases == nullptr) {
      error("rounds", "has no phases to run", "add phases: [phases]; or write repeat to run this phase several times");
    } else {
      group.rounds = rounds != nullptr;
      if (rounds != nullptr) read_rounds(*rounds);
      const Node* members = group.rounds ? phases : parallel;
      return members->kind == Node::Kind::list ? members : nullptr;  // else reported by the schema check
    }
    return nullptr;
  }

  void read_rounds(const Node& node) {
    rounds_ = &node;
    std::uint32_t count = 0;
    Nanoseconds interval{0};
    MapReader inner(node, "rounds", reader_.path_of("rounds"), context_);  // its phases take the values
    inner.scalar("count", count, parse_small_integer);
    inner.scalar("interval", interval, parse_duration);
  }

  Phase parse_member(const Node& member, const std::string& path, const FinishNode& finish) {
    Phase broken;
    broken.path = path;
    if (member.kind != Node::Kind::map || is_group(member)) {
      context_.unusable.insert(path);
      if (is_group(member)) {
        context_.error(member.at, path, "a group cannot stand inside a group", "write its phases out");
      }
      return broken;
    }
    const Node layer = inherited_layer();
    const Node* disk = parts_.disk_of(member, &layer);
    Node node = effective_phase(parts_.defaults, disk, &layer, member);
    drop_load_of_check(node, member, path, context_);
    if (rounds_ != nullptr) {
      const bool of_group = says_rounds(&own_, path_, context_);
      const bool of_member = says_rounds(&member, path, context_);
      set_rounds(node, of_group || of_member ? nullptr : rounds_);
    }
    finish(node, disk, path);
    return parse_phase(node, path, context_);
  }

  // What the group's phases inherit of it: everything but what is its own.
  [[nodiscard]] Node inherited_layer() const {
    Node layer = own_;
    std::erase_if(layer.entries, [](const Entry& entry) {
      return is_group_key(entry.key) || entry.key == "name" || entry.key == "thresholds" || entry.key == "timeout";
    });
    return layer;
  }

  const Node& own_;
  const std::string& path_;
  const JobParts& parts_;
  ParseContext& context_;
  MapReader reader_;
  const Node* rounds_ = nullptr;
};

}  // namespace

const Node* JobParts::disk_of(const Node& phase, const Node* group) const {
  for (const Node* layer : {&phase, group, defaults}) {
    const Node* name = layer == nullptr ? nullptr : layer->value("disk");
    if (name != nullptr) return disks == nullptr ? nullptr : disks->value(name->text);
  }
  return nullptr;
}

bool is_group_key(std::string_view key) { return key == "parallel" || key == "rounds" || key == "phases"; }

bool is_group(const Node& phase) {
  return std::any_of(phase.entries.begin(), phase.entries.end(),
                     [](const Entry& entry) { return is_group_key(entry.key); });
}

void parse_group(const Node& own, const std::string& path, const JobParts& parts, const FinishNode& finish, Job& job,
                 ParseContext& context) {
  GroupParser(own, path, parts, context).parse(job, finish);
}

}  // namespace diskproof
