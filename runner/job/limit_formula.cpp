#include "job/limit_formula.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace diskproof {
namespace {

constexpr double kGigabyte = 1e9;

// Of a disk that says how large it is; what a device says of itself must hold before it is used.
std::optional<double> gigabytes(const Node* disk) {
  for (const char* key : {"virtual", "loop", "identity"}) {
    const Node* place = disk == nullptr ? nullptr : disk->value(key);
    const Node* size = place == nullptr ? nullptr : place->value("size");
    if (size == nullptr || size->kind != Node::Kind::scalar) continue;
    if (const auto bytes = parse_size(size->text)) return static_cast<double>(*bytes) / kGigabyte;
  }
  return std::nullopt;
}

class Formula {
 public:
  Formula(const Entry& entry, const std::string& path, ParseContext& context)
      : reader_(entry.value, "limit_formula", path, context), bandwidth_(entry.key.ends_with(".bandwidth")) {
    read("base", base_);
    read("per_gb", per_gb_);
    read("max", max_);
  }

  // A term that does not fit the limit's kind: its key, else empty.
  [[nodiscard]] const std::string& fault() const { return fault_; }
  [[nodiscard]] bool bandwidth() const { return bandwidth_; }
  [[nodiscard]] bool needs_size() const { return per_gb_ > 0; }
  [[nodiscard]] double value(double size) const { return std::min(max_, base_ + per_gb_ * size); }

 private:
  void read(const char* key, double& out) {
    const Node* node = reader_.take(key);
    if (node == nullptr) return;
    const Parsed<double> parsed = bandwidth_ ? parse_bandwidth(node->text) : parse_number(node->text);
    if (parsed) {
      out = *parsed;
    } else if (fault_.empty()) {
      fault_ = key;
    }
  }

  MapReader reader_;
  bool bandwidth_;
  double base_ = 0, per_gb_ = 0, max_ = std::numeric_limits<double>::infinity();
  std::string fault_;
};

void resolve(Entry& entry, const Node* disk, const std::string& path, ParseContext& context) {
  const Formula formula(entry, path, context);
  const auto refuse = [&](std::string message, std::string hint) {
    context.error(entry.key_at, path, std::move(message), std::move(hint));
    context.unusable.insert(path);
  };
  if (!formula.fault().empty()) {
    return refuse(formula.fault() + " does not fit", formula.bandwidth() ? "write bandwidths, such as 0.48MB/s"
                                                                         : "write numbers of operations per second");
  }
  const std::optional<double> size = gigabytes(disk);
  if (formula.needs_size() && !size) {
    return refuse("is a formula of the disk's size, which nothing says before the run",
                  "write the number, take it from a table, or say a device's size as identity.size");
  }
  const double value = formula.value(size.value_or(0));
  if (!(value > 0)) return refuse("comes to nothing", "give base or per_gb above 0");
  Node number;
  number.kind = Node::Kind::scalar;
  number.at = entry.value.at;
  number.text = formula.bandwidth() ? fmt::format("{:.0f}B/s", value) : fmt::format("{:.3f}", value);
  entry.value = std::move(number);
}

bool is_limit(const std::string& key) { return key.ends_with(".iops") || key.ends_with(".bandwidth"); }

}  // namespace

void resolve_limit_formulas(Node& limits, const Node* disk, const std::string& path, ParseContext& context) {
  for (Entry& entry : limits.entries) {
    if (entry.value.kind != Node::Kind::map) continue;
    const std::string at = child_path(path, entry.key);
    if (is_limit(entry.key)) {
      resolve(entry, disk, at, context);
    } else {
      resolve_limit_formulas(entry.value, disk, at, context);
    }
  }
}

}  // namespace diskproof
