// Builds the tree from parse events: duplicate keys, aliases, merges and budgets. Knows YAML, not the parser library.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/diagnostic.hpp"
#include "job/node.hpp"

namespace diskproof {

// Ends the reading of a document; the fault is already placed.
struct ReadingStopped {
  Diagnostic fault;
};

class TreeBuilder {
 public:
  explicit TreeBuilder(std::string file) : file_(std::move(file)) {}

  // Events in document order. `anchor` 0: none. `tag` as resolved: "?" plain, "!" quoted, else written by hand.
  void null(Location at, std::size_t anchor);
  void scalar(Location at, std::string_view tag, std::size_t anchor, const std::string& text);
  void alias(Location at, std::size_t anchor);
  void open(Location at, std::string_view tag, std::size_t anchor, Node::Kind kind);
  void close();

  [[nodiscard]] Location last_event() const { return last_; }
  [[nodiscard]] Diagnostics& diagnostics() { return diagnostics_; }
  [[nodiscard]] std::optional<Node> take_root() { return std::move(root_); }

 private:
  struct Cost {
    std::size_t nodes = 1;
    std::size_t text = 0;
  };
  struct Frame {  // a list or map that is being read
    Node node;
    std::size_t anchor = 0;
    Cost cost;
    // Of a map only:
    std::map<std::string, Location, std::less<>> keys;  // seen so far
    std::optional<Entry> pending;                       // the key whose value comes next
    bool dropped = false;                               // … which is there already
    std::optional<Entry> merge;                         // what `<<` names
  };
  struct Anchored {
    Node node;
    Cost cost;
  };

  [[noreturn]] void stop(Location at, std::string message, std::string hint = {});
  void error(Location at, std::string path, std::string message, std::string hint = {});
  void refuse_tag(Location at, std::string_view tag);
  void spend(Location at, const Cost& cost);
  void add(Node node, const Cost& cost, std::size_t anchor);
  void add_key(Frame& map, const Node& key);
  void add_entry(Frame& map, Entry entry);
  void apply_merge(Frame& map, const Node& sources);
  void merge_from(Frame& map, const Node& source);
  [[nodiscard]] const Entry* pending_key() const;  // of the innermost map; nullptr when none waits for its value
  [[nodiscard]] std::string path() const;

  std::string file_;
  Diagnostics diagnostics_;
  std::optional<Node> root_;
  std::vector<Frame> open_;
  std::map<std::size_t, Anchored> anchors_;
  Cost spent_{0, 0};
  Location last_;
};

}  // namespace diskproof
