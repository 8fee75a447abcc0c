// One pass over `vars` in file order, one over everything else, in which phases with a matrix become their cells;
// growth is bounded.
#include "job/variables.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "job/matrix.hpp"
#include "support/near_name.hpp"

namespace diskproof {
namespace {

constexpr std::size_t kLongestResult = 16'384;    // bytes of one value
constexpr std::size_t kMostResults = 4'000'000;   // bytes of all replaced values
constexpr std::size_t kMostOfCells = 32'000'000;  // bytes of all cells of matrices
constexpr std::string_view kOut = "out";

bool is_phase_list(std::string_view key) { return key == "phases" || key == "parallel"; }

class Replacer {
 public:
  Replacer(std::string file, Diagnostics& diagnostics) : file_(std::move(file)), diagnostics_(diagnostics) {}

  // An empty value is kept as "known, but not set".
  void define(const std::string& name, std::string value) { values_[name] = std::move(value); }
  // Its own value is at fault, and reported: what uses it stays silent.
  void define_broken(const std::string& name) { broken_.insert(name); }

  void walk(Node& node, const std::string& path) {
    if (node.kind == Node::Kind::scalar) replace(node, path);
    for (std::size_t i = 0; i < node.items.size(); ++i) walk(node.items[i], child_path(path, i));
    for (Entry& entry : node.entries) {
      const std::string at = child_path(path, entry.key);
      if (at == "vars") continue;
      walk_entry(entry, at);
    }
  }

  // That every phase or group of the job has; what of it is in `defaults` is for later stages no more.
  void inherit_matrix(Node& defaults) {
    const auto found = std::find_if(defaults.entries.begin(), defaults.entries.end(),
                                    [](const Entry& entry) { return entry.key == "matrix"; });
    if (found == defaults.entries.end()) return;
    walk(found->value, "defaults.matrix");
    if (!is_matrix(found->value)) return;
    inherited_ = std::move(found->value);
    defaults.entries.erase(found);
  }

  void replace(Node& node, const std::string& path) {
    if (node.text.find("${") == std::string::npos) return;
    std::string result;
    std::string_view rest = node.text;
    while (true) {
      const auto at = rest.find("${");
      if (at == std::string_view::npos) break;
      if (at > 0 && rest[at - 1] == '$') {
        result.append(rest.substr(0, at - 1)).append("${");
        rest.remove_prefix(at + 2);
        continue;
      }
      result.append(rest.substr(0, at));
      const auto end = rest.find('}', at);
      node.unresolved = true;
      if (end == std::string_view::npos)
        return error(node.at, path, "'${' without its '}'", "write $${ for the plain text");
      const auto value = look_up(std::string(rest.substr(at + 2, end - at - 2)), node.at, path);
      if (!value) return;
      node.unresolved = false;
      node.replaced = true;
      result += *value;
      rest.remove_prefix(end + 1);
    }
    result.append(rest);
    total_ += result.size();
    if (result.size() > kLongestResult || total_ > kMostResults) {
      node.unresolved = true;
      return error(node.at, path,
                   fmt::format("the value with its variables replaced is longer than {} bytes", kLongestResult), {});
    }
    if (node.replaced) node.quoted = false;  // in flow style ${…} must be quoted, also where a number is meant
    node.text = std::move(result);
  }

  void error(Location at, std::string path, std::string message, std::string hint) {
    diagnostics_.push_back({Diagnostic::Level::error, file_, at, std::move(path), std::move(message), std::move(hint)});
  }

  [[nodiscard]] std::string near(const std::string& name) const {
    std::vector<std::string> names;
    for (const auto& [known, value] : values_) names.push_back(known);
    const std::string nearest = nearest_name(name, names);
    return nearest.empty() ? std::string() : fmt::format("did you mean {}?", nearest);
  }

 private:
  void walk_entry(Entry& entry, const std::string& path) {
    if (is_phase_list(entry.key) && entry.value.kind == Node::Kind::list) {
      walk_phases(entry.value, path);
    } else {
      walk(entry.value, path);
    }
  }

  // A list of phases and groups; those with a matrix give way to their cells.
  void walk_phases(Node& list, const std::string& path) {
    std::vector<Node> all;
    bool moved = false;  // the numbers are not those of the file any more
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const std::string at = child_path(path, i);
      const std::size_t first = all.size();
      const std::optional<Node> matrix = matrix_of(list.items[i], at, path == "phases");
      if (!matrix) {
        all.push_back(std::move(list.items[i]));
        walk(all.back(), at);
      } else {
        for (MatrixCell& cell : cells_of(list.items[i], *matrix, at)) {
          walk_cell(cell, at);
          all.push_back(std::move(cell.phase));
        }
      }
      moved = moved || all.size() != first + 1 || matrix;
      for (std::size_t k = first; moved && k < all.size(); ++k) {
        const Node* name = all[k].value("name");
        all[k].origin = std::make_shared<Origin>(Origin{at, matrix && name != nullptr ? name->text : ""});
      }
    }
    list.items = std::move(all);
  }

  // With its variables replaced; the phase's own over what `defaults` has.
  std::optional<Node> matrix_of(Node& phase, const std::string& path, bool inherits) {
    const auto own = std::find_if(phase.entries.begin(), phase.entries.end(),
                                  [](const Entry& entry) { return entry.key == "matrix"; });
    if (own == phase.entries.end())
      return inherits && phase.kind == Node::Kind::map ? inherited_ : std::optional<Node>();
    walk(own->value, child_path(path, "matrix"));
    if (!is_matrix(own->value)) return std::nullopt;  // the schema check says why
    return inherits && inherited_ ? merged(*inherited_, own->value) : own->value;
  }

  // As many as the job may still have.
  std::vector<MatrixCell> cells_of(const Node& phase, const Node& matrix, const std::string& path) {
    const Node* own = phase.value("matrix");
    const std::size_t each = weight(phase) - (own == nullptr ? 0 : weight(*own));
    const std::size_t most = std::min(kMostPhases - std::min(cells_, kMostPhases), (kMostOfCells - bytes_) / each);
    std::vector<MatrixCell> cells =
        matrix_cells(phase, matrix, child_path(path, "matrix"), {file_, std::max<std::size_t>(most, 1)}, diagnostics_);
    cells_ += cells.size();
    bytes_ = std::min(bytes_ + cells.size() * each, kMostOfCells);
    return cells;
  }

  void walk_cell(MatrixCell& cell, const std::string& path) {
    for (Entry& entry : cell.phase.entries) {
      if (cell.values.contains(entry.key)) continue;  // the matrix was walked already
      locals_.push_back(entry.key == "name" ? &cell.words : &cell.values);
      walk_entry(entry, child_path(path, entry.key));
      locals_.pop_back();
    }
  }

  std::optional<std::string> look_up(const std::string& name, Location at, const std::string& path) {
    for (auto local = locals_.rbegin(); local != locals_.rend(); ++local) {
      if (const auto found = (*local)->find(name); found != (*local)->end()) return found->second;
    }
    if (broken_.contains(name)) return std::nullopt;
    const auto found = values_.find(name);
    if (found == values_.end()) {
      std::string hint = near(name);
      if (hint.empty()) hint = "define it under vars";
      error(at, path, fmt::format("the variable ${{{}}} is not defined", name), std::move(hint));
      return std::nullopt;
    }
    if (found->second.empty()) {
      const std::string hint =
          name == kOut ? "name an output folder" : fmt::format("give it with --set {}=VALUE", name);
      error(at, path, fmt::format("the variable ${{{}}} is not set", name), hint);
      return std::nullopt;
    }
    return found->second;
  }

  std::string file_;
  Diagnostics& diagnostics_;
  std::map<std::string, std::string> values_;
  std::set<std::string> broken_;
  std::vector<const std::map<std::string, std::string>*> locals_;  // of the cells that are walked, inner last
  std::optional<Node> inherited_;                                  // the matrix of `defaults`
  std::size_t total_ = 0, cells_ = 0, bytes_ = 0;
};

bool is_variable_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || !letter(name[0])) return false;
  for (const char c : name) {
    if (!letter(c) && !(c >= '0' && c <= '9')) return false;
  }
  return true;
}

}  // namespace

void replace_variables(Node& root, const std::map<std::string, std::string>& sets, const std::string& out_dir,
                       const std::string& file, Diagnostics& diagnostics) {
  Replacer replacer(file, diagnostics);
  replacer.define(std::string(kOut), out_dir);
  auto unused = sets;
  for (Entry& entry : root.entries) {
    if (entry.key != "vars") continue;
    for (Entry& variable : entry.value.entries) {
      const std::string path = child_path("vars", variable.key);
      if (variable.key == kOut) {
        replacer.error(variable.key_at, path, "is the run's output folder and cannot be defined", "use another name");
        continue;
      }
      if (!is_variable_name(variable.key)) {
        replacer.error(variable.key_at, path, "is not a variable name", "use letters, digits and _");
      }
      Node& value = variable.value;
      if (const auto set = unused.find(variable.key); set != unused.end()) {
        value.kind = Node::Kind::scalar;
        value.text = set->second;
        value.quoted = false;
        value.replaced = true;
        unused.erase(set);
      } else {
        replacer.replace(value, path);
      }
      const bool scalar = value.kind == Node::Kind::scalar || value.kind == Node::Kind::null;
      if (value.unresolved || !scalar) {
        replacer.define_broken(variable.key);
      } else {
        replacer.define(variable.key, value.text);
      }
    }
  }
  for (const auto& [name, value] : unused) {
    const std::string hint = replacer.near(name);
    diagnostics.push_back({Diagnostic::Level::error,
                           "--set " + name,
                           {},
                           {},
                           "the job has no variable of this name",
                           hint.empty() ? "define it under vars" : hint});
  }
  for (Entry& entry : root.entries) {
    if (entry.key == "defaults") replacer.inherit_matrix(entry.value);
  }
  replacer.walk(root, {});
}

}  // namespace diskproof
