// Conversions and error texts.
#include "support/system_windows.hpp"

#include <algorithm>

namespace diskproof {

std::wstring wide(std::string_view utf8) {
  const int length = static_cast<int>(utf8.size());
  const int needed = MultiByteToWideChar(CP_UTF8, 0, utf8.data(), length, nullptr, 0);
  std::wstring text(static_cast<std::size_t>(needed), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, utf8.data(), length, text.data(), needed);
  return text;
}

// The whole name is asked of the system: MinGW's std::filesystem takes a share for a folder of the current drive.
std::wstring wide_path(std::string_view utf8) {
  constexpr std::size_t kUsual = MAX_PATH - 12;  // a folder has room for an 8.3 name
  std::wstring path = wide(utf8);
  std::replace(path.begin(), path.end(), L'/', L'\\');
  const bool has_prefix = path.starts_with(L"\\\\?\\") || path.starts_with(L"\\\\.\\");
  if (path.size() < kUsual || has_prefix) return path;
  std::wstring whole(GetFullPathNameW(path.c_str(), 0, nullptr, nullptr), L'\0');
  whole.resize(GetFullPathNameW(path.c_str(), static_cast<DWORD>(whole.size()), whole.data(), nullptr));
  if (whole.empty()) return path;
  return whole.starts_with(L"\\\\") ? L"\\\\?\\UNC" + whole.substr(1) : L"\\\\?\\" + whole;
}

std::string utf8(std::wstring_view wide) {
  const int length = static_cast<int>(wide.size());
  const int needed = WideCharToMultiByte(CP_UTF8, 0, wide.data(), length, nullptr, 0, nullptr, nullptr);
  std::string text(static_cast<std::size_t>(needed), '\0');
  WideCharToMultiByte(CP_UTF8, 0, wide.data(), length, text.data(), needed, nullptr, nullptr);
  return text;
}

std::string error_text(DWORD code) {
  wchar_t text[512];
  constexpr DWORD kHow = FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS;
  DWORD length = FormatMessageW(kHow, nullptr, code, 0, text, 512, nullptr);
  while (length > 0 && (text[length - 1] <= L' ' || text[length - 1] == L'.')) --length;
  return utf8({text, length}) + (length > 0 ? " (error " : "error ") + std::to_string(code) + (length > 0 ? ")" : "");
}

}  // namespace diskproof
