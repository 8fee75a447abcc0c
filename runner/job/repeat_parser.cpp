// Several runs of a phase, and what they come to.
#include "job/struct_parsers.hpp"

namespace diskproof {

Repeat parse_repeat(MapReader& reader) {
  Repeat repeat;
  const Node* node = reader.take("repeat");
  if (node == nullptr) return repeat;
  MapReader inner(*node, "repeat", reader.path_of("repeat"), reader.context());
  inner.scalar("count", repeat.count, parse_small_integer);
  inner.scalar("interval", repeat.interval, parse_duration);
  inner.scalar("discard", repeat.discard, parse_small_integer);
  inner.scalar("score", repeat.score, parse_score);
  inner.scalar("from_same_run", repeat.from_same_run, parse_boolean);
  if (node->kind == Node::Kind::map && node->find("count") == nullptr) {
    reader.mark_unusable("repeat.count");
    reader.context().error(node->at, inner.path(), "says no count", "add how many runs, for example count: 5");
  }
  return repeat;
}

}  // namespace diskproof
