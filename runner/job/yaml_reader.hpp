// One YAML document into our own tree: strict, bounded, every fault placed. The only place that knows yaml-cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "job/diagnostic.hpp"
#include "job/node.hpp"

namespace diskproof {

inline constexpr std::size_t kDeepestNesting = 64;
inline constexpr std::size_t kMostNodes = 100'000;     // values, each use of an alias counted in full
inline constexpr std::size_t kMostKeys = 4096;         // of one map
inline constexpr std::size_t kLongestScalar = 16'384;  // bytes
inline constexpr std::size_t kMostText = 4'000'000;    // bytes of all scalars, aliases counted in full

struct YamlDocument {
  std::optional<Node> root;  // absent when the text could not be read to its end
  Diagnostics diagnostics;
};

// `file` names the text in diagnostics.
YamlDocument read_yaml(std::string_view bytes, const std::string& file);
YamlDocument read_yaml_file(const std::string& path);

}  // namespace diskproof
