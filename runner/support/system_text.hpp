// What the C library says of an errno.
#pragma once

#include <string>
#include <system_error>

namespace diskproof {

inline std::string system_text(int code) { return std::generic_category().message(code); }

}  // namespace diskproof
