// Conversions and error texts.
#include "support/system_windows.hpp"

#include <filesystem>

#include "support/path_text.hpp"

namespace diskproof {

std::wstring wide(std::string_view utf8) {
  const int length = static_cast<int>(utf8.size());
  const int needed = MultiByteToWideChar(CP_UTF8, 0, utf8.data(), length, nullptr, 0);
  std::wstring text(static_cast<std::size_t>(needed), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, utf8.data(), length, text.data(), needed);
  return text;
}

std::wstring wide_path(std::string_view utf8) {
  std::filesystem::path path = path_from(utf8);
  path.make_preferred();
  const bool has_prefix = path.native().starts_with(L"\\\\?\\") || path.native().starts_with(L"\\\\.\\");
  if (path.native().size() < MAX_PATH - 12 || has_prefix)
    return path.native();  // 12: a folder has room for an 8.3 name
  std::error_code failure;
  const std::wstring whole = std::filesystem::absolute(path, failure).lexically_normal().native();
  if (failure) return path.native();
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
