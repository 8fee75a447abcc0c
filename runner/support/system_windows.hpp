// What every Windows file needs: UTF-16 and back, the words of an error, and a handle that closes itself. Included by
// *_windows.cpp files only.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <windows.h>

namespace diskproof {

// For names of files too: longer ones than MAX_PATH get the prefix that lets them through, and slashes turn round.
std::wstring wide(std::string_view utf8);
std::wstring wide_path(std::string_view utf8);
std::string utf8(std::wstring_view wide);

// "The system cannot find the file specified (error 2)"
std::string error_text(DWORD code);

class Handle {
 public:
  explicit Handle(HANDLE handle = INVALID_HANDLE_VALUE) noexcept : handle_(handle) {}
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, INVALID_HANDLE_VALUE)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  void reset() noexcept {
    if (*this) CloseHandle(handle_);
    handle_ = INVALID_HANDLE_VALUE;
  }
  HANDLE release() noexcept { return std::exchange(handle_, INVALID_HANDLE_VALUE); }
  [[nodiscard]] HANDLE get() const noexcept { return handle_; }
  explicit operator bool() const noexcept { return handle_ != INVALID_HANDLE_VALUE && handle_ != nullptr; }

 private:
  HANDLE handle_;
};

}  // namespace diskproof
