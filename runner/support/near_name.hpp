// "Did you mean …?": the known name that a mistyped one is closest to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace diskproof {

// The candidate within about a third of the name's length in edits (one transposition is one edit); empty when none
// is near.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace diskproof
