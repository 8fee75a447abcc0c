// Where undo journals are kept.
#include <cstdlib>
#include <unistd.h>

#include "support/error.hpp"
#include "target/journal.hpp"

namespace diskproof {

std::string state_home_variable() { return "XDG_STATE_HOME"; }

std::string state_root() {
  const auto absolute = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value != nullptr && value[0] == '/' ? value : "";  // the XDG rules ignore relative paths
  };
  if (const std::string state = absolute("XDG_STATE_HOME"); !state.empty()) return state + "/diskproof";
  if (geteuid() == 0) return "/var/lib/diskproof";
  if (const std::string home = absolute("HOME"); !home.empty()) return home + "/.local/state/diskproof";
  throw Error(ErrorKind::failed, "no place for the undo journal: neither XDG_STATE_HOME nor HOME is set");
}

}  // namespace diskproof
