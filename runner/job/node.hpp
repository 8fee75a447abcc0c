// The tree of a YAML file as our own values: what every stage of the job reader works on. Scalars keep their text;
// what a text means is decided where it is used, by the rules of YAML 1.2 without its surprises.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "job/diagnostic.hpp"

namespace diskproof {

struct Entry;

// Where a phase that a matrix made, or one behind it, stands in the file.
struct Origin {
  std::string path;  // "phases[1]"
  std::string cell;  // name of the cell; empty: none
};

struct Node {
  enum class Kind { null, scalar, list, map } kind = Kind::null;
  Location at;                 // of the value; of the alias for an aliased one
  std::string text;            // scalar
  bool quoted = false;         // scalar in quotes or a block scalar: never a number or truth value
  bool replaced = false;       // scalar that held ${…}: text or number, whichever its place wants
  bool unresolved = false;     // … which could not be replaced; that is reported, so nothing else is checked
  std::vector<Node> items;     // list
  std::vector<Entry> entries;  // map, in file order, keys unique
  std::shared_ptr<const Origin> origin{};  // null: its path in the tree is that in the file

  [[nodiscard]] const Entry* find(std::string_view key) const;
  [[nodiscard]] const Node* value(std::string_view key) const;  // nullptr when absent
};

struct Entry {
  std::string key;
  Location key_at;
  Node value;
};

// Bytes that the tree takes.
std::size_t weight(const Node& node);

// JSON's types, as the schema names them.
enum class ScalarType { null, boolean, integer, number, string };
ScalarType scalar_type(const Node& scalar);

// `over` laid over `under`: maps merge key by key, everything else is replaced. Where a key stands is kept.
Node merged(const Node& under, const Node& over);

// "phases[1]" + "block_size"; "phases" + 1.
std::string child_path(std::string_view path, std::string_view key);
std::string child_path(std::string_view path, std::size_t index);

}  // namespace diskproof
