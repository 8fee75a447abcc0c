// Where undo journals are kept.
#include "support/error.hpp"
#include "support/path_text.hpp"
#include "support/system_windows.hpp"
#include "target/journal.hpp"

namespace diskproof {

std::string state_home_variable() { return "LOCALAPPDATA"; }

std::string state_root() {
  wchar_t value[4096];
  const DWORD length = GetEnvironmentVariableW(L"LOCALAPPDATA", value, 4096);
  const std::filesystem::path home(std::wstring(value, length < 4096 ? length : 0));
  if (home.is_absolute()) return text_of(home / "diskproof" / "state");
  throw Error(ErrorKind::failed, "no place for the undo journal: LOCALAPPDATA is not set to an absolute path");
}

}  // namespace diskproof
