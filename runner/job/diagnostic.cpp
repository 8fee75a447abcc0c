// Diagnostics as text, and the look-up of where a key path stands.
#include "job/diagnostic.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>
#include <utility>

#include "support/printable.hpp"

namespace diskproof {

std::string to_string(const Diagnostic& diagnostic) {
  std::string text = diagnostic.file;
  if (diagnostic.at.line > 0) text += fmt::format(":{}:{}", diagnostic.at.line, diagnostic.at.column);
  if (!text.empty()) text += diagnostic.at.line > 0 ? " " : ": ";
  text += diagnostic.level == Diagnostic::Level::error ? "error: " : "warning: ";
  if (!diagnostic.path.empty()) text += diagnostic.path;
  if (!diagnostic.cell.empty()) text += " (cell " + diagnostic.cell + ")";
  if (!diagnostic.path.empty()) text += ": ";
  text += diagnostic.message;
  if (!diagnostic.hint.empty()) text += "; " + diagnostic.hint;
  return printable_line(text);  // keys and values of a file from anywhere
}

bool has_errors(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& one) { return one.level == Diagnostic::Level::error; });
}

void sort_by_place(Diagnostics& diagnostics) {
  const auto key = [](const Diagnostic& one) {
    return std::tuple(one.at.line, one.at.column, one.path.empty(), std::string_view(one.path),
                      std::string_view(one.message), std::string_view(one.file));
  };
  std::stable_sort(diagnostics.begin(), diagnostics.end(),
                   [&](const auto& a, const auto& b) { return key(a) < key(b); });
  const auto last = std::unique(diagnostics.begin(), diagnostics.end(),
                                [&](const auto& a, const auto& b) { return key(a) == key(b); });
  diagnostics.erase(last, diagnostics.end());
}

void SourceMap::add(std::string path, Location at) { places_.insert_or_assign(std::move(path), at); }

Location SourceMap::find(std::string_view path) const {
  while (!path.empty()) {
    if (const auto found = places_.find(path); found != places_.end()) return found->second;
    const auto cut = path.find_last_of(".[");
    path = path.substr(0, cut == std::string_view::npos ? 0 : cut);
  }
  return {};
}

void SourceMap::add_origin(std::string path, std::string origin, std::string cell) {
  origins_.insert_or_assign(std::move(path), Shown{std::move(origin), std::move(cell)});
}

SourceMap::Shown SourceMap::shown(std::string_view path) const {
  for (std::string_view head = path; !head.empty();) {
    if (const auto found = origins_.find(head); found != origins_.end()) {
      return {found->second.path + std::string(path.substr(head.size())), found->second.cell};
    }
    const auto cut = head.find_last_of(".[");
    head = head.substr(0, cut == std::string_view::npos ? 0 : cut);
  }
  return {std::string(path), {}};
}

}  // namespace diskproof
