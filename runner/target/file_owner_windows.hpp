// Whose a file is.
#pragma once

#include "support/system_windows.hpp"

namespace diskproof {

// By the user that runs this, or by the group (Administrators) that owns what this user makes. Needs READ_CONTROL.
bool is_owned_by_this_user(HANDLE file);

}  // namespace diskproof
