// A path as everything that is done later can use it, wherever the working directory is by then.
#pragma once

#include <string>

namespace diskproof {

// `path` seen from `folder`, which is absolute, without `.` and `..`. A share (\\server\share) stays one.
std::string absolute_path(const std::string& folder, const std::string& path);

}  // namespace diskproof
