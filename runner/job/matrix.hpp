// `matrix` of a phase or group: one cell per combination of its values, as a tree of its own. Expanded before anything
// is checked, so that every later stage sees phases only.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "job/diagnostic.hpp"
#include "job/node.hpp"

namespace diskproof {

inline constexpr std::size_t kMostPhases = 1000;  // of a job, cells included; as in the schema

struct MatrixCell {
  Node phase;                                 // with the cell's values in place of the matrix
  std::map<std::string, std::string> values;  // ${key} in values and thresholds
  std::map<std::string, std::string> words;   // ${key} in the name
};

// Lists by key, `include` and `exclude` lists of maps; anything else is for the schema check to report.
bool is_matrix(const Node& node);

struct MatrixBounds {
  std::string file;  // for diagnostics
  std::size_t most_cells = kMostPhases;
};

// The cells of `phase` with this matrix, whose variables are replaced already; the last list turns fastest. Where the
// matrix is wrong, that is reported at `path` (the matrix's) and one cell is left, so that the rest can be checked.
std::vector<MatrixCell> matrix_cells(const Node& phase, const Node& matrix, const std::string& path,
                                     const MatrixBounds& bounds, Diagnostics& diagnostics);

// A value in the spelling that is the same for every way to write it: "4096B" is "4KiB".
std::string canonical_text(const Node& scalar);

// The same for use in a name, of maps and lists too: {write: 50%, read: 50%} is "r50w50", {read: 100%} "read".
std::string value_word(const std::string& key, const Node& value);

}  // namespace diskproof
