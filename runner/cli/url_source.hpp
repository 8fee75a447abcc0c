// Reaches disks that are URLs through children of this program.
#pragma once

#include <string>

#include "target/url_session.hpp"

namespace diskproof {

// `executable`: absolute path of this program. What it opens throws Error{refused} for a library that may not be
// loaded.
UrlOpener url_opener(const std::string& executable);

}  // namespace diskproof
