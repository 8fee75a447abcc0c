// Do file systems answer? A dead server or disk would hang whoever looks at a path on it, so that another process looks
// first. An answer may be an error: what it means is left to whoever uses the path.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "support/error.hpp"

namespace diskproof {

inline constexpr std::uint64_t kReachPatience = 10'000'000'000;  // ns: also a disk that has to spin up first

// Those of the paths, or of the nearest folders that exist, that did not answer; all are asked at once.
std::set<std::string> silent_paths(const std::vector<std::string>& paths, std::uint64_t patience = kReachPatience);

// False: a file that has no name any more could not be written in the folder, or the nearest one that exists, in time.
bool takes_write(const std::string& folder, std::uint64_t patience = kReachPatience);

// "`what` `path`: its file system does not answer within 10 s…"
Error no_answer(ErrorKind kind, const std::string& what, const std::string& path);

// Both throw Error{failed}.
void require_answer(const std::string& what, const std::string& path);
void require_write(const std::string& what, const std::string& folder);

}  // namespace diskproof
