// MinGW's std::filesystem takes the server of a share for a folder of the current drive: there the system is asked.
#include "support/absolute_path.hpp"
#include "support/path_text.hpp"
#include "support/system_windows.hpp"

namespace diskproof {
namespace {

bool is_slash(char letter) { return letter == '/' || letter == '\\'; }

bool is_share(const std::string& path) { return path.size() > 2 && is_slash(path[0]) && is_slash(path[1]); }

}  // namespace

std::string absolute_path(const std::string& folder, const std::string& path) {
  const std::filesystem::path joined = is_share(path) ? path_from(path) : path_from(folder) / path_from(path);
  if (!is_share(path) && !is_share(folder)) return text_of(joined.lexically_normal());
  std::wstring whole(GetFullPathNameW(joined.c_str(), 0, nullptr, nullptr), L'\0');
  whole.resize(GetFullPathNameW(joined.c_str(), static_cast<DWORD>(whole.size()), whole.data(), nullptr));
  return whole.empty() ? text_of(joined) : utf8(whole);
}

}  // namespace diskproof
