// One pass over `vars` in file order, one over everything else; growth is bounded.
#include "job/variables.hpp"

#include <fmt/format.h>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "support/near_name.hpp"

namespace diskproof {
namespace {

constexpr std::size_t kLongestResult = 16'384;   // bytes of one value
constexpr std::size_t kMostResults = 4'000'000;  // bytes of all replaced values
constexpr std::string_view kOut = "out";

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
      walk(entry.value, at);
    }
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
  std::optional<std::string> look_up(const std::string& name, Location at, const std::string& path) {
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
  std::size_t total_ = 0;
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
  replacer.walk(root, {});
}

}  // namespace diskproof
