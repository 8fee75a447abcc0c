#include "job/limit_table.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "support/near_name.hpp"
#include "support/path_text.hpp"
#include "support/units.hpp"

namespace diskproof {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestTable = 1 << 20;  // bytes

// "read.iops" of a column "read.iops" or "instance.read.iops"; empty for a key column.
std::string_view limit_of(std::string_view column) {
  static constexpr std::array<std::string_view, 4> kSubjects{"read", "write", "trim", "total"};
  for (const std::string_view kind : {".iops", ".bandwidth"}) {
    if (!column.ends_with(kind)) continue;
    const std::string_view subject = column.substr(0, column.size() - kind.size());
    const std::size_t point = subject.rfind('.');
    const std::string_view last = point == std::string_view::npos ? subject : subject.substr(point + 1);
    if (std::find(kSubjects.begin(), kSubjects.end(), last) != kSubjects.end())
      return column.substr(point == std::string_view::npos ? 0 : point + 1);
  }
  return {};
}

struct Table {
  struct Row {
    std::size_t line = 0;
    std::vector<std::string> cells;
  };
  std::vector<std::string> columns;
  std::vector<Row> rows;

  [[nodiscard]] std::vector<std::string> keys() const {
    std::vector<std::string> keys;
    std::copy_if(columns.begin(), columns.end(), std::back_inserter(keys),
                 [](const std::string& column) { return limit_of(column).empty(); });
    return keys;
  }
  [[nodiscard]] std::size_t index(std::string_view column) const {
    return static_cast<std::size_t>(std::find(columns.begin(), columns.end(), column) - columns.begin());
  }
};

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find('\t', begin), line.size());
    std::string_view cell = line.substr(begin, end - begin);
    while (!cell.empty() && cell.front() == ' ') cell.remove_prefix(1);
    while (!cell.empty() && cell.back() == ' ') cell.remove_suffix(1);
    cells.emplace_back(cell);
    begin = end + 1;
  }
  return cells;
}

// The table, or what is wrong with its text: "line 3: …".
Parsed<Table> parse_table(std::string_view text) {
  Table table;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    std::vector<std::string> cells = split(line);
    if (table.columns.empty()) {
      // What is no table is not shown: the file may be any.
      const auto is_limit = [](const std::string& column) { return !limit_of(column).empty(); };
      if (cells.size() < 2 || std::ranges::none_of(cells, is_limit)) {
        return Parsed<Table>::fail(
            fmt::format("line {}: is no header of a table: columns parted by tabs, one of them "
                        "a limit such as read.iops",
                        number));
      }
      for (const std::string& column : cells) {
        if (column.empty() || std::count(cells.begin(), cells.end(), column) > 1)
          return Parsed<Table>::fail(fmt::format("line {}: column '{}' is empty or there twice", number, column));
      }
      table.columns = std::move(cells);
    } else if (cells.size() != table.columns.size()) {
      return Parsed<Table>::fail(
          fmt::format("line {}: {} cells, the header has {}", number, cells.size(), table.columns.size()));
    } else {
      table.rows.push_back({number, std::move(cells)});
    }
  }
  if (table.rows.empty()) return Parsed<Table>::fail("it has no row");
  return Parsed<Table>::ok(std::move(table));
}

// Why a table cannot be read from what is there; empty when it can.
std::string kind_fault(fs::file_type type) {
  switch (type) {
    case fs::file_type::regular:
      return "";
    case fs::file_type::not_found:
      return "there is no such file";
    case fs::file_type::directory:
      return "it is a folder, not a file";
    case fs::file_type::fifo:
      return "it is a FIFO, not a file";
    case fs::file_type::character:
    case fs::file_type::block:
      return "it is a device, not a file";
    case fs::file_type::socket:
      return "it is a socket, not a file";
    default:
      return "it cannot be looked at";
  }
}

Parsed<Table> read_table(const fs::path& path) {
  std::error_code error;
  if (std::string fault = kind_fault(fs::status(path, error).type()); !fault.empty()) return Parsed<Table>::fail(fault);
  if (fs::file_size(path, error) > kLargestTable) return Parsed<Table>::fail("it is larger than 1 MiB");
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) return Parsed<Table>::fail("it cannot be read");
  return parse_table(text);
}

class Expansion {
 public:
  Expansion(const std::string& job_file, Diagnostics& diagnostics)
      : job_file_(job_file), folder_(path_from(job_file).parent_path()), diagnostics_(diagnostics) {}

  void walk(Node& node, const std::string& path) {
    for (std::size_t i = 0; i < node.items.size(); ++i) walk(node.items[i], child_path(path, i));
    for (Entry& entry : node.entries) {
      const std::string at = child_path(path, entry.key);
      if (entry.key == "limits" && entry.value.kind == Node::Kind::map) expand(entry.value, at);
      walk(entry.value, at);
    }
  }

 private:
  void error(Location at, const std::string& path, std::string message, std::string hint = {}) {
    diagnostics_.push_back({Diagnostic::Level::error, job_file_, at, path, std::move(message), std::move(hint)});
  }

  void expand(Node& limits, const std::string& path) {
    const Entry* table_key = limits.find("table");
    const Entry* row_key = limits.find("row");
    if (table_key == nullptr && row_key == nullptr) return;
    if (table_key == nullptr)
      return error(row_key->key_at, child_path(path, "row"), "has no table", "add `table: FILE`");
    if (row_key == nullptr) {
      return error(table_key->key_at, child_path(path, "table"), "has no row",
                   "add `row: {COLUMN: VALUE}` that only one row of the table has");
    }
    if (table_key->value.kind != Node::Kind::scalar || row_key->value.kind != Node::Kind::map) return;  // by the schema
    if (table_key->value.unresolved) return;
    const std::string name = table_key->value.text;
    const Parsed<Table> table = read_table(folder_ / path_from(name));
    if (!table) {
      return error(table_key->value.at, child_path(path, "table"), fmt::format("{}: {}", name, table.error),
                   "the path is relative to the job file");
    }
    if (const Table::Row* row = choose(*table, *row_key, name, child_path(path, "row"))) {
      take_over(limits, *table, *row, *table_key, child_path(path, "table"));
    }
  }

  const Table::Row* choose(const Table& table, const Entry& wanted, const std::string& name, const std::string& path) {
    const std::vector<std::string> keys = table.keys();
    std::vector<const Table::Row*> left;
    for (const Table::Row& row : table.rows) left.push_back(&row);
    for (const Entry& entry : wanted.value.entries) {
      if (std::find(keys.begin(), keys.end(), entry.key) == keys.end()) {
        const std::string near = nearest_name(entry.key, keys);
        error(entry.key_at, child_path(path, entry.key), fmt::format("{} has no such column", name),
              near.empty() ? fmt::format("its columns are {}", fmt::join(keys, ", ")) : "did you mean " + near + "?");
        return nullptr;
      }
      if (entry.value.unresolved) return nullptr;
      const std::size_t column = table.index(entry.key);
      std::vector<std::string> known;
      for (const Table::Row* row : left) known.push_back(row->cells[column]);
      std::erase_if(left, [&](const Table::Row* row) { return row->cells[column] != entry.value.text; });
      if (!left.empty()) continue;
      std::sort(known.begin(), known.end());
      known.erase(std::unique(known.begin(), known.end()), known.end());
      error(entry.value.at, child_path(path, entry.key),
            fmt::format("no row of {} has '{}' there", name, entry.value.text),
            fmt::format("there is {}", fmt::join(known, ", ")));
      return nullptr;
    }
    if (left.size() == 1) return left.front();
    error(wanted.key_at, path, fmt::format("{} rows of {} match, it must be one", left.size(), name),
          fmt::format("say more of {}", fmt::join(keys, ", ")));
    return nullptr;
  }

  // Cells become entries that stand where the table is named.
  void take_over(Node& limits, const Table& table, const Table::Row& row, const Entry& table_key,
                 const std::string& path) {
    const Location at = table_key.value.at;
    const std::string name = table_key.value.text;
    std::vector<Entry> own;
    for (Entry& entry : limits.entries) {
      if (entry.key != "table" && entry.key != "row") own.push_back(std::move(entry));
    }
    Node cells;
    cells.kind = Node::Kind::map;
    cells.at = at;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const std::string_view limit = limit_of(table.columns[i]);
      if (limit.empty() || row.cells[i].empty()) continue;
      if (!sound(limit, row.cells[i])) {
        error(at, path, fmt::format("{}, line {}: '{}' is no {}", name, row.line, row.cells[i], table.columns[i]),
              limit.ends_with("iops") ? "write a number above 0" : "write a bandwidth, such as 240MB/s");
        continue;
      }
      Node value;
      value.kind = Node::Kind::scalar;
      value.at = at;
      value.text = row.cells[i];
      Node* group = &cells;
      if (limit.size() < table.columns[i].size()) {
        group = &group_of(cells, table.columns[i].substr(0, table.columns[i].size() - limit.size() - 1));
      }
      group->entries.push_back({std::string(limit), at, std::move(value)});
    }
    limits.entries = std::move(own);
    limits = merged(cells, limits);
  }

  static bool sound(std::string_view limit, const std::string& cell) {
    const Parsed<double> value = limit.ends_with("iops") ? parse_number(cell) : parse_bandwidth(cell);
    return value && *value > 0;
  }

  static Node& group_of(Node& cells, const std::string& name) {
    for (Entry& entry : cells.entries) {
      if (entry.key == name) return entry.value;
    }
    Node map;
    map.kind = Node::Kind::map;
    map.at = cells.at;
    cells.entries.push_back({name, cells.at, std::move(map)});
    return cells.entries.back().value;
  }

  const std::string& job_file_;
  const fs::path folder_;
  Diagnostics& diagnostics_;
};

}  // namespace

void expand_limit_tables(Node& root, const std::string& job_file, Diagnostics& diagnostics) {
  Expansion(job_file, diagnostics).walk(root, {});
}

}  // namespace diskproof
