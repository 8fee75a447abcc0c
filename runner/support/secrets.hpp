// Passwords and keys among the options of a mount, which no report and no log may show.
#pragma once

#include <string>
#include <string_view>

namespace diskproof {

// One option, "password=x" or "user=me%x".
bool holds_secret(std::string_view option);

// A list with commas, or a mount's source: the values of secrets, and passwords of URLs in it, become ***.
std::string mask_secrets(std::string_view text);

}  // namespace diskproof
