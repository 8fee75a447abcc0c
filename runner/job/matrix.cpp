// The product of the lists, less what `exclude` names, plus what `include` adds.
#include "job/matrix.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "support/near_name.hpp"

namespace diskproof {
namespace {

constexpr std::array<std::string_view, 5> kNoAxis{"name", "matrix", "parallel", "rounds", "phases"};

bool is_list_of_maps(const Node& node) {
  const auto map = [](const Node& item) { return item.kind == Node::Kind::map && !item.entries.empty(); };
  return node.kind == Node::Kind::list && !node.items.empty() && std::all_of(node.items.begin(), node.items.end(), map);
}

bool is_axis(const Entry& entry) { return entry.key != "include" && entry.key != "exclude"; }

// Settings of one cell, by key in the matrix's order.
using Cell = std::vector<Entry>;

const Entry* find(const Cell& cell, std::string_view key) {
  const auto found = std::find_if(cell.begin(), cell.end(), [key](const Entry& one) { return one.key == key; });
  return found == cell.end() ? nullptr : &*found;
}

bool same_value(const std::string& key, const Node& a, const Node& b) {
  return value_word(key, a) == value_word(key, b);
}

class Matrix {
 public:
  Matrix(const Node& node, std::string path, MatrixBounds bounds, Diagnostics& diagnostics)
      : node_(node), path_(std::move(path)), bounds_(std::move(bounds)), diagnostics_(diagnostics) {
    for (const Entry& entry : node.entries) {
      if (is_axis(entry)) axes_.push_back(&entry);
    }
  }

  std::vector<Cell> cells() {
    check_axes();
    const std::size_t count = product_size();
    check_count(count);
    if (faulty_) return {first_cell()};
    std::vector<Cell> cells = product(count);
    exclude_from(cells);
    include_into(cells);
    check_count(cells.size());
    if (cells.empty() && !faulty_) error(node_.at, path_, "leaves no cell", "let `exclude` leave one");
    if (faulty_) return {first_cell()};
    return cells;
  }

 private:
  void error(Location at, std::string path, std::string message, std::string hint) {
    faulty_ = true;
    diagnostics_.push_back(
        {Diagnostic::Level::error, bounds_.file, at, std::move(path), std::move(message), std::move(hint)});
  }

  void check_count(std::size_t cells) {
    if (cells <= bounds_.most_cells) return;
    error(node_.at, path_, fmt::format("gives {} cells; at most {} are left for it", cells, bounds_.most_cells),
          fmt::format("shorten its lists: a job has at most {} phases", kMostPhases));
  }

  void check_key(const Entry& entry, const std::string& path) {
    if (std::find(kNoAxis.begin(), kNoAxis.end(), entry.key) == kNoAxis.end()) return;
    error(entry.key_at, child_path(path, entry.key), "cannot differ between the cells of a matrix", {});
  }

  void check_axes() {
    for (const Entry* axis : axes_) {
      check_key(*axis, path_);
      std::map<std::string, std::size_t> words;
      const auto& values = axis->value.items;
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i].unresolved) faulty_ = true;  // and reported
        const std::string word = value_word(axis->key, values[i]);
        if (words.emplace(word, i).second) continue;
        error(values[i].at, child_path(child_path(path_, axis->key), i), fmt::format("{} is listed twice", word),
              "list each value once");
      }
    }
  }

  [[nodiscard]] std::size_t product_size() const {
    std::size_t count = axes_.empty() ? 0 : 1;
    for (const Entry* axis : axes_) count = std::min(count * axis->value.items.size(), std::size_t{1} << 40);
    return count;
  }

  // A fault of a cell is one of the value, so it is placed there.
  static Entry setting(const std::string& key, const Node& value) { return {key, value.at, value}; }

  [[nodiscard]] Cell first_cell() const {
    Cell cell;
    for (const Entry* axis : axes_) cell.push_back(setting(axis->key, axis->value.items.front()));
    return cell;
  }

  [[nodiscard]] std::vector<Cell> product(std::size_t count) const {
    std::vector<Cell> cells(count);
    std::size_t run = count;  // of equal values
    for (const Entry* axis : axes_) {
      const auto& values = axis->value.items;
      run /= values.size();
      for (std::size_t i = 0; i < count; ++i) cells[i].push_back(setting(axis->key, values[i / run % values.size()]));
    }
    return cells;
  }

  // Every axis that the partial cell names has that value.
  [[nodiscard]] bool agrees(const Cell& cell, const Node& partial) const {
    return std::all_of(partial.entries.begin(), partial.entries.end(), [&](const Entry& wanted) {
      const bool axis = std::any_of(axes_.begin(), axes_.end(), [&](auto* one) { return one->key == wanted.key; });
      const Entry* own = find(cell, wanted.key);
      return !axis || (own != nullptr && same_value(wanted.key, own->value, wanted.value));
    });
  }

  void check_is_axis(const Entry& entry, const std::string& path) {
    std::vector<std::string> names;
    for (const Entry* axis : axes_) names.push_back(axis->key);
    if (std::find(names.begin(), names.end(), entry.key) != names.end()) return;
    const std::string nearest = nearest_name(entry.key, names);
    error(entry.key_at, child_path(path, entry.key), "is not a list of the matrix",
          nearest.empty() ? "name keys that the matrix has" : fmt::format("did you mean {}?", nearest));
  }

  void exclude_from(std::vector<Cell>& cells) {
    const Node* exclude = node_.value("exclude");
    if (exclude == nullptr) return;
    std::vector<bool> out(cells.size());
    for (std::size_t i = 0; i < exclude->items.size(); ++i) {
      const Node& partial = exclude->items[i];
      const std::string path = child_path(child_path(path_, "exclude"), i);
      const std::size_t before = diagnostics_.size();
      for (const Entry& entry : partial.entries) check_is_axis(entry, path);
      if (diagnostics_.size() > before) continue;
      std::size_t matched = 0;
      for (std::size_t c = 0; c < cells.size(); ++c) {
        if (!agrees(cells[c], partial)) continue;
        out[c] = true;
        ++matched;
      }
      if (matched == 0) error(partial.at, path, "matches no cell", "name values that the lists have");
    }
    std::vector<Cell> kept;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (!out[c]) kept.push_back(std::move(cells[c]));
    }
    cells = std::move(kept);
  }

  // An entry that agrees with cells adds its other keys to them; one that agrees with none is a cell of its own.
  void include_into(std::vector<Cell>& cells) {
    const Node* include = node_.value("include");
    if (include == nullptr) return;
    const std::size_t of_product = cells.size();
    for (std::size_t i = 0; i < include->items.size(); ++i) {
      const Node& partial = include->items[i];
      const std::string path = child_path(child_path(path_, "include"), i);
      for (const Entry& entry : partial.entries) check_key(entry, path);
      std::size_t matched = 0;
      for (std::size_t c = 0; c < of_product; ++c) {
        if (!agrees(cells[c], partial)) continue;
        ++matched;
        const std::size_t before = cells[c].size();
        for (const Entry& entry : partial.entries) {
          if (find(cells[c], entry.key) == nullptr) cells[c].push_back(setting(entry.key, entry.value));
        }
        if (cells[c].size() == before) {
          return error(partial.at, path, "is a cell already", "add a key to it, or another value");
        }
      }
      if (matched == 0) cells.push_back(own_cell(partial));
    }
  }

  // In the matrix's order, then in its own.
  [[nodiscard]] Cell own_cell(const Node& partial) const {
    Cell cell;
    for (const Entry* axis : axes_) {
      if (const Entry* own = partial.find(axis->key)) cell.push_back(setting(own->key, own->value));
    }
    for (const Entry& entry : partial.entries) {
      if (find(cell, entry.key) == nullptr) cell.push_back(setting(entry.key, entry.value));
    }
    return cell;
  }

  const Node& node_;
  const std::string path_;
  const MatrixBounds bounds_;
  Diagnostics& diagnostics_;
  std::vector<const Entry*> axes_;
  bool faulty_ = false;
};

void put(Node& phase, const Entry& setting) {
  const auto same = std::find_if(phase.entries.begin(), phase.entries.end(),
                                 [&](const Entry& entry) { return entry.key == setting.key; });
  if (same == phase.entries.end()) {
    phase.entries.push_back(setting);
  } else {
    *same = setting;
  }
}

// `name/key=value` for each key that the name does not mention itself.
void name_cell(Node& phase, const Cell& cell) {
  const auto name =
      std::find_if(phase.entries.begin(), phase.entries.end(), [](const Entry& entry) { return entry.key == "name"; });
  if (name == phase.entries.end() || name->value.kind != Node::Kind::scalar) return;
  const std::string wanted = name->value.text;
  for (const Entry& setting : cell) {
    if (wanted.find("${" + setting.key + "}") != std::string::npos) continue;
    name->value.text += "/" + setting.key + "=" + value_word(setting.key, setting.value);
  }
}

// Those of a group's phases too: names are unique in the job.
void name_cells(Node& phase, const Cell& cell) {
  name_cell(phase, cell);
  for (Entry& entry : phase.entries) {
    if (entry.key != "parallel" && entry.key != "phases") continue;
    for (Node& member : entry.value.items) name_cell(member, cell);
  }
}

}  // namespace

bool is_matrix(const Node& node) {
  if (node.kind != Node::Kind::map || node.entries.empty()) return false;
  return std::all_of(node.entries.begin(), node.entries.end(), [](const Entry& entry) {
    if (!is_axis(entry)) return is_list_of_maps(entry.value);
    return entry.value.kind == Node::Kind::list && !entry.value.items.empty();
  });
}

std::vector<MatrixCell> matrix_cells(const Node& phase, const Node& matrix, const std::string& path,
                                     const MatrixBounds& bounds, Diagnostics& diagnostics) {
  std::vector<MatrixCell> result;
  Node plain = phase;
  std::erase_if(plain.entries, [](const Entry& entry) { return entry.key == "matrix"; });
  for (const Cell& cell : Matrix(matrix, path, bounds, diagnostics).cells()) {
    MatrixCell one{plain, {}, {}};
    for (const Entry& setting : cell) {
      put(one.phase, setting);
      one.words[setting.key] = value_word(setting.key, setting.value);
      const bool scalar = setting.value.kind == Node::Kind::scalar;
      one.values[setting.key] = scalar ? canonical_text(setting.value) : one.words[setting.key];
    }
    name_cells(one.phase, cell);
    result.push_back(std::move(one));
  }
  return result;
}

}  // namespace diskproof
