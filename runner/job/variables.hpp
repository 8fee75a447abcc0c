// `vars`, `--set` and `${name}`: replaced in values that YAML has already read, so no text can become structure. Cells
// of a matrix have variables of their own, so matrices are expanded on the way.
#pragma once

#include <map>
#include <string>

#include "job/diagnostic.hpp"
#include "job/node.hpp"

namespace diskproof {

// Replaces every ${name} in the values of `root`. `sets` overrides entries of its `vars`; `out_dir` is ${out}.
// "$${" stands for the text "${". A variable may use those above it. Every phase or group with a matrix gives way to
// its cells.
void replace_variables(Node& root, const std::map<std::string, std::string>& sets, const std::string& out_dir,
                       const std::string& file, Diagnostics& diagnostics);

}  // namespace diskproof
