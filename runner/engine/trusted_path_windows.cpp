// Access lists: neither the library nor the folder that holds it may be writable by everybody. Folders further up are
// not looked at.
#include "engine/trusted_path.hpp"
#include "support/path_text.hpp"
#include "support/system_windows.hpp"
// after windows.h
#include <aclapi.h>

namespace diskproof {

namespace fs = std::filesystem;

namespace {

bool is_everybody(PSID who) {
  for (const WELL_KNOWN_SID_TYPE group :
       {WinWorldSid, WinAuthenticatedUserSid, WinBuiltinUsersSid, WinBuiltinGuestsSid, WinInteractiveSid}) {
    if (IsWellKnownSid(who, group) != 0) return true;
  }
  return false;
}

// Rights by which the file could be changed, or another one put in its place.
constexpr ACCESS_MASK kChanging =
    FILE_WRITE_DATA | FILE_DELETE_CHILD | DELETE | WRITE_DAC | WRITE_OWNER | GENERIC_WRITE | GENERIC_ALL;

bool everybody_may_change(PACL list) {
  if (list == nullptr) return true;  // no list: everything is allowed
  for (WORD i = 0; i < list->AceCount; ++i) {
    void* entry = nullptr;
    if (GetAce(list, i, &entry) == 0) return true;
    const auto* header = static_cast<const ACE_HEADER*>(entry);
    if (header->AceType != ACCESS_ALLOWED_ACE_TYPE || (header->AceFlags & INHERIT_ONLY_ACE) != 0) continue;
    auto* allowed = static_cast<ACCESS_ALLOWED_ACE*>(entry);
    if ((allowed->Mask & kChanging) != 0 && is_everybody(&allowed->SidStart)) return true;
  }
  return false;
}

std::string distrust_one(const fs::path& path) {
  PACL list = nullptr;
  PSECURITY_DESCRIPTOR descriptor = nullptr;
  std::wstring name = path.native();
  const DWORD code = GetNamedSecurityInfoW(name.data(), SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, nullptr, nullptr,
                                           &list, nullptr, &descriptor);
  if (code != ERROR_SUCCESS) return text_of(path) + " cannot be examined: " + error_text(code);
  const bool open = everybody_may_change(list);
  LocalFree(descriptor);
  return open ? text_of(path) + " is writable by everybody (take that right away with icacls)" : "";
}

}  // namespace

std::string distrust(const fs::path& file) {
  std::error_code failure;
  const fs::path real = fs::canonical(file, failure);
  if (failure) return {};
  const std::string why = distrust_one(real);
  return why.empty() ? distrust_one(real.parent_path()) : why;
}

fs::path executable_path() {
  std::wstring name(MAX_PATH, L'\0');
  for (;;) {
    const DWORD length = GetModuleFileNameW(nullptr, name.data(), static_cast<DWORD>(name.size()));
    if (length < name.size()) return name.substr(0, length);
    name.resize(name.size() * 2);
  }
}

}  // namespace diskproof
