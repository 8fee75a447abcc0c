// `verify`: a word, or a map that says more. A phase that is a check has no load of its own: it reads what was written.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "job/struct_parsers.hpp"

namespace diskproof {
namespace {

constexpr std::uint32_t kCheckDepth = 8;  // as of layouts
constexpr const char* kForms = "write verify: write, {write: true, during: N%}, {of: PHASE} or {manifest: FILE}";

// What says how a load is made, or what it leaves behind.
constexpr std::array<std::string_view, 23> kLoadKeys{
    "size",       "files", "region", "layout", "access", "operations", "block_size",      "rate",
    "think_time", "sync",  "fsync",  "seed",   "data",   "shared",     "precondition",    "warmup",
    "max_errors", "abort", "search", "until",  "bytes",  "duration",   "operations_count"};

bool is_check(const Node* verify) {
  return verify != nullptr && (verify->find("of") != nullptr || verify->find("manifest") != nullptr);
}

std::string hint_of(std::string_view key) {
  if (key == "duration" || key == "bytes" || key == "operations_count" || key == "until")
    return "remove it: a check ends when everything was read";
  if (key == "max_errors") return "remove it: what cannot be read is counted as verify.unreadable";
  return "remove it: a check reads what was written, where it was written";
}

// Exactly one kind of verification; what does not go together is reported.
void check_forms(const Node& node, MapReader& inner, ParseContext& context) {
  const Entry* of = node.find("of");
  const Entry* manifest = node.find("manifest");
  if (of != nullptr && manifest != nullptr) {
    context.error(manifest->key_at, inner.path_of("manifest"), "a second source of what was written; of is given too",
                  "keep one of them");
  }
  for (const std::string_view key : {"write", "during"}) {
    const Entry* entry = node.find(key);
    if (entry == nullptr || (of == nullptr && manifest == nullptr)) continue;
    context.error(entry->key_at, inner.path_of(key), "a phase that checks what was written writes nothing itself",
                  "write two phases: one with verify: write, one with verify: {of: PHASE}");
  }
}

void say_nothing_verified(const Node& node, MapReader& inner, ParseContext& context) {
  const Entry* during = node.find("during");
  if (during == nullptr || node.find("write") != nullptr) {
    context.error(node.at, inner.path(), "verifies nothing", kForms);
  } else {
    context.error(node.at, inner.path(), "reads back what the phase stamps, and it is not told to stamp anything",
                  fmt::format("write verify: {{write: true, during: {}}}", during->value.text));
  }
}

void check_share(const Node& node, double during, MapReader& inner, ParseContext& context) {
  const Entry* entry = node.find("during");
  if (entry == nullptr || context.unusable.contains(inner.path_of("during"))) return;
  if (during > 0 && during <= 100) return;
  context.error(entry->value.at, inner.path_of("during"),
                during > 100 ? fmt::format("{:g}% is more than the whole", during) : "0% reads nothing back",
                "write a share above 0% and up to 100%, or verify: write, which reads nothing back");
}

}  // namespace

void parse_verify(MapReader& reader, Phase& phase) {
  const Node* node = reader.take("verify");
  if (node == nullptr) return;
  if (node->kind != Node::Kind::map) {
    phase.verify.write = true;
    return;
  }
  ParseContext& context = reader.context();
  MapReader inner(*node, "verify", reader.path_of("verify"), context);
  inner.scalar("write", phase.verify.write, parse_boolean);
  inner.scalar("during", phase.verify.during, parse_percent);
  inner.scalar("of", phase.verify.of, parse_text);
  inner.scalar("manifest", phase.verify.manifest, parse_text);
  check_forms(*node, inner, context);
  if (!is_check(node)) {
    const bool readable = !context.unusable.contains(inner.path_of("write"));
    if (readable && !phase.verify.write) say_nothing_verified(*node, inner, context);
    check_share(*node, phase.verify.during, inner, context);
    return;
  }
  phase.verify.write = false;
  phase.layout = Layout::none;
  phase.stop = {StopRule::Kind::bytes, 1};  // what there is to read is known when it is planned, or later
  phase.verify.any_depth = reader.map().find("queue_depth") == nullptr;
  if (phase.verify.any_depth) phase.queue_depth = kCheckDepth;
}

void drop_load_of_check(Node& phase, const Node& own, const std::string& path, ParseContext& context) {
  if (!is_check(phase.value("verify"))) return;
  for (const std::string_view key : kLoadKeys) {
    if (const Entry* entry = own.find(key)) {
      context.error(entry->key_at, child_path(path, key), "has no meaning in a check of what was written",
                    hint_of(key));
    }
    std::erase_if(phase.entries, [key](const Entry& entry) { return entry.key == key; });
  }
}

}  // namespace diskproof
