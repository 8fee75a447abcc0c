// The field's table of measured and promised IOPS (tests/data/gcp-persistent-disk.tsv): each of its 24 cells gets the
// verdict that it implies, with the disk's limit alone and with the instance's beside it.
#include <doctest/doctest.h>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "verdict/evaluate.hpp"

namespace diskproof {
namespace {

enum class Verdict { under, held, over };  // below 95 % of the limit; within; above 105 %, which is a warning

struct Cell {
  double measured = 0, limit = 0;
};
using Key = std::tuple<std::string, std::string, int, std::string>;  // instance, disk type, size in GB, direction

std::map<Key, Cell> field_cells() {
  std::ifstream file(DISKPROOF_SOURCE_DIR "/tests/data/gcp-persistent-disk.tsv");
  std::map<Key, Cell> cells;
  std::string line;
  std::getline(file, line);
  REQUIRE(line == "instance\tsize_gb\tdisk_type\twrite_iops\twrite_limit\tread_iops\tread_limit");
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string instance, type;
    int size = 0;
    Cell write, read;
    words >> instance >> size >> type >> write.measured >> write.limit >> read.measured >> read.limit;
    REQUIRE(words);
    cells[{instance, type, size, "write"}] = write;
    cells[{instance, type, size, "read"}] = read;
  }
  return cells;
}

ThresholdResult judge(const std::string& check, const std::string& direction, const Cell& cell,
                      const std::vector<LimitGroup>& limits) {
  PhaseMetrics metrics;
  for (const std::string& name : {direction, std::string("total")}) {
    metrics.set(name + ".iops", cell.measured);
    metrics.set(name + ".operations", cell.measured * 60);
    metrics.set(name + ".bytes", cell.measured * 60 * 4096);
  }
  return evaluate(std::get<ThresholdExpr>(compile_threshold(direction + ".iops " + check)),
                  {.metrics = &metrics, .limits = limits, .phase_error = {}});
}

Verdict verdict_of(const std::string& direction, const Cell& cell, const std::vector<LimitGroup>& limits) {
  const ThresholdResult floor = judge(">= 95% of limit", direction, cell, limits);
  const ThresholdResult ceiling = judge("<= 105% of limit with warn", direction, cell, limits);
  CHECK(ceiling.warn);
  if (floor.outcome == Outcome::fail) return Verdict::under;
  REQUIRE(floor.outcome == Outcome::pass);
  return ceiling.outcome == Outcome::fail ? Verdict::over : Verdict::held;
}

}  // namespace

TEST_CASE("field limits: each cell of the table gets the verdict that it implies") {
  struct Row {
    std::string instance, type;
    int size;
    std::string direction;
    Verdict alone, with_instance;
  };
  using enum Verdict;
  const Row rows[] = {
      {"c2-std-4", "standard", 100, "write", over, over},   {"c2-std-4", "standard", 100, "read", under, under},
      {"c2-std-4", "balanced", 100, "write", over, over},   {"c2-std-4", "balanced", 100, "read", over, over},
      {"c2-std-4", "ssd", 100, "write", over, over},        {"c2-std-4", "ssd", 100, "read", over, over},
      {"c2-std-4", "standard", 1000, "write", held, held},  {"c2-std-4", "standard", 1000, "read", held, held},
      {"c2-std-4", "balanced", 1000, "write", under, held}, {"c2-std-4", "balanced", 1000, "read", under, held},
      {"c2-std-4", "ssd", 1000, "write", under, held},      {"c2-std-4", "ssd", 1000, "read", under, held},
      {"n2-std-4", "standard", 1000, "write", held, held},  {"n2-std-4", "standard", 1000, "read", held, held},
      {"n2-std-4", "balanced", 1000, "write", held, held},  {"n2-std-4", "balanced", 1000, "read", held, held},
      {"n2-std-4", "ssd", 1000, "write", under, held},      {"n2-std-4", "ssd", 1000, "read", under, held},
      {"n2-std-32", "standard", 1000, "write", held, held}, {"n2-std-32", "standard", 1000, "read", held, held},
      {"n2-std-32", "balanced", 1000, "write", held, held}, {"n2-std-32", "balanced", 1000, "read", held, held},
      {"n2-std-32", "ssd", 1000, "write", held, held},      {"n2-std-32", "ssd", 1000, "read", held, held},
  };
  const std::map<std::string, double> caps{{"c2-std-4", 4000}, {"n2-std-4", 15000}};  // n2-std-32 lets all through
  const std::map<Key, Cell> cells = field_cells();
  CHECK(cells.size() == std::size(rows));
  for (const Row& row : rows) {
    CAPTURE(row.instance);
    CAPTURE(row.type);
    CAPTURE(row.size);
    CAPTURE(row.direction);
    const auto found = cells.find({row.instance, row.type, row.size, row.direction});
    REQUIRE(found != cells.end());
    std::vector<LimitGroup> limits{{"", {{row.direction + ".iops", found->second.limit}}}};
    CHECK(verdict_of(row.direction, found->second, limits) == row.alone);
    if (const auto cap = caps.find(row.instance); cap != caps.end()) {
      limits.push_back({"instance", {{"total.iops", cap->second}}});
      const ThresholdResult floor = judge(">= 95% of limit", row.direction, found->second, limits);
      const bool instance_is_tighter = cap->second < found->second.limit;
      CHECK((floor.reason.find("instance total.iops") != std::string::npos) == instance_is_tighter);
    }
    CHECK(verdict_of(row.direction, found->second, limits) == row.with_instance);
  }
}

}  // namespace diskproof
