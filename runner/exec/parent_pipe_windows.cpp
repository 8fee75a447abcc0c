// Named pipes, because anonymous ones know no overlapped I/O. A name is used once, by this process alone.
#include "exec/parent_pipe_windows.hpp"

#include <atomic>
#include <fmt/format.h>

#include "support/error.hpp"

namespace diskproof {

namespace {

constexpr DWORD kPipeSize = 64 * 1024;

Handle make_event() { return Handle(CreateEventW(nullptr, TRUE, FALSE, nullptr)); }

[[noreturn]] void fail(const char* what) {
  throw Error(ErrorKind::failed, fmt::format("{} for the phase's process: {}", what, error_text(GetLastError())));
}

}  // namespace

PipePair make_pipe(PipeDirection direction) {
  static std::atomic<unsigned> number{0};
  LARGE_INTEGER now;
  QueryPerformanceCounter(&now);
  const std::wstring name =
      wide(fmt::format(R"(\\.\pipe\diskproof-{}-{}-{})", GetCurrentProcessId(), now.QuadPart, number++));
  const bool down = direction == PipeDirection::to_child;
  const DWORD mode =
      (down ? PIPE_ACCESS_OUTBOUND : PIPE_ACCESS_INBOUND) | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE;
  Handle parent(CreateNamedPipeW(name.c_str(), mode, PIPE_TYPE_BYTE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS, 1,
                                 kPipeSize, kPipeSize, 0, nullptr));
  if (!parent) fail("making a pipe");
  SECURITY_ATTRIBUTES inheritable{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
  Handle child(
      CreateFileW(name.c_str(), down ? GENERIC_READ : GENERIC_WRITE, 0, &inheritable, OPEN_EXISTING, 0, nullptr));
  if (!child) fail("opening a pipe");
  return {std::move(parent), std::move(child)};
}

PipeReader::PipeReader(Handle pipe) : pipe_(std::move(pipe)), event_(make_event()), buffer_(kPipeSize) { start(); }

PipeReader::~PipeReader() {
  if (closed_) return;
  DWORD moved = 0;
  CancelIoEx(pipe_.get(), &overlapped_);
  GetOverlappedResult(pipe_.get(), &overlapped_, &moved, TRUE);  // until then the system may write to the buffer
}

void PipeReader::start() {
  taken_ = false;
  overlapped_ = OVERLAPPED{};
  overlapped_.hEvent = event_.get();
  const auto size = static_cast<DWORD>(buffer_.size());
  if (ReadFile(pipe_.get(), buffer_.data(), size, nullptr, &overlapped_) != 0) return;
  if (GetLastError() == ERROR_IO_PENDING) return;
  closed_ = true;
  ResetEvent(event_.get());
}

std::string_view PipeReader::take() {
  if (!closed_ && taken_) start();
  if (closed_) return {};
  DWORD moved = 0;
  if (GetOverlappedResult(pipe_.get(), &overlapped_, &moved, FALSE) != 0) {
    taken_ = true;
    return {buffer_.data(), moved};
  }
  if (GetLastError() != ERROR_IO_INCOMPLETE) {
    closed_ = true;
    ResetEvent(event_.get());
  }
  return {};
}

PipeWriter::PipeWriter(Handle pipe) : pipe_(std::move(pipe)), event_(make_event()) {}

bool PipeWriter::write(std::string_view bytes, DWORD patience_ms) {
  if (!pipe_) return false;
  OVERLAPPED overlapped{};
  overlapped.hEvent = event_.get();
  const auto size = static_cast<DWORD>(bytes.size());
  if (WriteFile(pipe_.get(), bytes.data(), size, nullptr, &overlapped) == 0 && GetLastError() != ERROR_IO_PENDING) {
    return false;
  }
  if (WaitForSingleObject(event_.get(), patience_ms) != WAIT_OBJECT_0) CancelIoEx(pipe_.get(), &overlapped);
  DWORD moved = 0;
  return GetOverlappedResult(pipe_.get(), &overlapped, &moved, TRUE) != 0 && moved == size;
}

}  // namespace diskproof
