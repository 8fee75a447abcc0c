// The child's end of the pipes on Windows: two inherited handles, whose numbers follow the child's role on the command
// line. The parent's job object ties the child's life to the parent's, and as a detached process it sees no Ctrl-C.
#include <cstdlib>
#include <string>

#include "exec/child_channel.hpp"
#include "support/error.hpp"
#include "support/system_windows.hpp"
// after windows.h
#include <shellapi.h>

namespace diskproof {

namespace {

struct Pipes {
  HANDLE read = nullptr, write = nullptr;
};

// Set once, by the constructor, before any thread starts.
Pipes& pipes() {
  static Pipes pipes;
  return pipes;
}

Pipes pipes_of_command_line() {
  int count = 0;
  wchar_t** words = CommandLineToArgvW(GetCommandLineW(), &count);
  Pipes found;
  if (words != nullptr && count == 4) {
    found.read = reinterpret_cast<HANDLE>(std::wcstoull(words[2], nullptr, 10));
    found.write = reinterpret_cast<HANDLE>(std::wcstoull(words[3], nullptr, 10));
  }
  LocalFree(words);
  if (GetFileType(found.read) != FILE_TYPE_PIPE || GetFileType(found.write) != FILE_TYPE_PIPE) {
    throw Error(ErrorKind::failed, "this way to start diskproof is for its own use: there are no pipes to a parent");
  }
  return found;
}

}  // namespace

ChildChannel::ChildChannel() {
  pipes() = pipes_of_command_line();
  SetHandleInformation(pipes().read, HANDLE_FLAG_INHERIT, 0);
  SetHandleInformation(pipes().write, HANDLE_FLAG_INHERIT, 0);
}

std::optional<Frame> ChildChannel::read() {
  for (;;) {
    if (auto frame = reader_.next()) return frame;
    char bytes[16384];
    DWORD got = 0;
    if (ReadFile(pipes().read, bytes, sizeof bytes, &got, nullptr) == 0 || got == 0) return std::nullopt;
    reader_.feed({bytes, got});
  }
}

bool ChildChannel::write(FrameType type, std::string_view payload) {
  const std::string frame = encode_frame(type, payload);
  for (std::size_t at = 0; at < frame.size();) {
    DWORD put = 0;
    const auto left = static_cast<DWORD>(frame.size() - at);  // kMaxFramePayload fits
    if (WriteFile(pipes().write, frame.data() + at, left, &put, nullptr) == 0) return false;
    at += put;
  }
  return true;
}

void leave_now(int exit_code) noexcept {
  TerminateProcess(GetCurrentProcess(), static_cast<UINT>(exit_code));  // unlike ExitProcess it calls no DLL
  std::abort();
}

}  // namespace diskproof
