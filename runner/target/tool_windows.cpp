// CreateProcess in a job object. What a program prints goes to a file that lasts as long as its handle, so that neither
// side ever waits for the other.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/clock.hpp"
#include "support/error.hpp"
#include "support/system_windows.hpp"
#include "target/tool.hpp"
#include "target/windows_argv.hpp"

namespace diskproof {
namespace {

constexpr std::size_t kMostOutput = 16 * 1024;
constexpr DWORD kTick = 50;            // ms
constexpr DWORD kKillPatience = 5000;  // ms

// Of the system's folder only.
std::wstring find_program(const std::string& name) {
  wchar_t folder[MAX_PATH] = L"";
  GetSystemDirectoryW(folder, MAX_PATH);
  std::wstring path = std::wstring(folder) + L"\\" + wide(name);
  if (GetFileAttributesW(path.c_str()) != INVALID_FILE_ATTRIBUTES) return path;
  throw Error(ErrorKind::unavailable, fmt::format("there is no program {} on this machine", name));
}

// Programs of the console write in its old encoding.
std::string from_console(const std::string& bytes) {
  const int length = static_cast<int>(bytes.size());
  std::wstring text(static_cast<std::size_t>(MultiByteToWideChar(CP_OEMCP, 0, bytes.data(), length, nullptr, 0)), 0);
  MultiByteToWideChar(CP_OEMCP, 0, bytes.data(), length, text.data(), static_cast<int>(text.size()));
  std::string out = utf8(text);
  std::erase(out, '\r');
  return out;
}

Handle open_output() {
  wchar_t folder[MAX_PATH] = L"", name[MAX_PATH] = L"";
  GetTempPathW(MAX_PATH, folder);
  GetTempFileNameW(folder, L"dp", 0, name);
  SECURITY_ATTRIBUTES inherited{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
  return Handle(CreateFileW(name, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited,
                            CREATE_ALWAYS, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr));
}

Handle open_nothing() {
  SECURITY_ATTRIBUTES inherited{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
  return Handle(
      CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited, OPEN_EXISTING, 0, nullptr));
}

class RunningTool {
 public:
  explicit RunningTool(const ToolRun& run)
      : run_(run), output_(open_output()), job_(CreateJobObjectW(nullptr, nullptr)) {
    const std::wstring program = find_program(run.argv.front());
    std::wstring line = wide(command_line(run.argv));
    const Handle nothing = open_nothing();
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    SetInformationJobObject(job_.get(), JobObjectExtendedLimitInformation, &limits, sizeof limits);
    STARTUPINFOW how{};
    how.cb = sizeof how;
    how.dwFlags = STARTF_USESTDHANDLES;
    how.hStdInput = nothing.get();
    how.hStdOutput = how.hStdError = output_.get();
    PROCESS_INFORMATION started{};
    if (CreateProcessW(program.c_str(), line.data(), nullptr, nullptr, TRUE, CREATE_NO_WINDOW | CREATE_SUSPENDED,
                       nullptr, nullptr, &how, &started) == 0) {
      fail("cannot be started: " + error_text(GetLastError()));
    }
    process_ = Handle(started.hProcess);
    const Handle thread(started.hThread);
    AssignProcessToJobObject(job_.get(), process_.get());
    ResumeThread(thread.get());
  }

  std::string finish() {
    const std::uint64_t end = monotonic_ns() + static_cast<std::uint64_t>(run_.timeout * 1e9);
    while (WaitForSingleObject(process_.get(), kTick) == WAIT_TIMEOUT) {
      if (run_.stopped && run_.stopped()) end_it("was stopped");
      if (monotonic_ns() >= end) end_it(fmt::format("did not end within {:.0f} s, and was killed", run_.timeout));
    }
    DWORD code = 0;
    GetExitCodeProcess(process_.get(), &code);
    if (code != 0) fail(fmt::format("ended with exit code {}", code));
    return said();
  }

 private:
  [[nodiscard]] std::string said() const {
    LARGE_INTEGER size{};
    GetFileSizeEx(output_.get(), &size);
    const auto length = std::min<std::uint64_t>(static_cast<std::uint64_t>(size.QuadPart), kMostOutput);
    const auto from = static_cast<std::uint64_t>(size.QuadPart) - length;
    OVERLAPPED at{};
    at.Offset = static_cast<DWORD>(from);
    at.OffsetHigh = static_cast<DWORD>(from >> 32);
    std::string bytes(length, '\0');
    DWORD got = 0;
    if (ReadFile(output_.get(), bytes.data(), static_cast<DWORD>(length), &got, &at) == 0) got = 0;
    bytes.resize(got);
    return from_console(bytes);
  }

  [[noreturn]] void end_it(const std::string& how) const {
    TerminateJobObject(job_.get(), 1);
    WaitForSingleObject(process_.get(), kKillPatience);
    fail(how);
  }

  [[noreturn]] void fail(const std::string& how) const {
    std::string text = said();
    text.resize(text.find_last_not_of(" \n") + 1);
    throw Error(ErrorKind::failed,
                fmt::format("`{}` {}{}{}", fmt::join(run_.argv, " "), how, text.empty() ? "" : ": ", text));
  }

  const ToolRun& run_;
  Handle output_, job_, process_;
};

}  // namespace

std::string run_tool(const ToolRun& run) { return RunningTool(run).finish(); }

}  // namespace diskproof
