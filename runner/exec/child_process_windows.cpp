// Child processes on Windows: CreateProcess with three inherited handles, in a job object that ends with its last
// handle, so that nothing outlives the runner.
#include <array>
#include <fmt/format.h>
#include <vector>

#include "exec/child_process.hpp"
#include "exec/parent_pipe_windows.hpp"
#include "support/clock.hpp"
#include "support/error.hpp"

namespace diskproof {

namespace {

constexpr UINT kKilled = 0xC000013A;  // STATUS_CONTROL_C_EXIT: nothing ends with it by itself

class Deadline {
 public:
  explicit Deadline(std::chrono::milliseconds patience)
      : at_(monotonic_ns() + static_cast<std::uint64_t>(patience.count()) * 1'000'000) {}
  // Rounded up; 0 once it has passed.
  [[nodiscard]] DWORD left_ms() const {
    const std::uint64_t now = monotonic_ns();
    return now >= at_ ? 0 : static_cast<DWORD>((at_ - now + 999'999) / 1'000'000);
  }

 private:
  std::uint64_t at_;  // ns
};

[[noreturn]] void fail(const std::string& executable, DWORD code) {
  throw Error(ErrorKind::failed, fmt::format("starting the child process {}: {}", executable, error_text(code)));
}

// What a child inherits, and nothing else, and the job that it is born in: put there afterwards, a child would be left
// behind by a runner that is killed in between.
class StartSettings {
 public:
  StartSettings(HANDLE job, std::array<HANDLE, 4> inherited) : job_(job), inherited_(inherited) {
    SIZE_T size = 0;
    InitializeProcThreadAttributeList(nullptr, 2, 0, &size);
    memory_.resize(size);
    info.lpAttributeList = reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory_.data());
    InitializeProcThreadAttributeList(info.lpAttributeList, 2, 0, &size);
    set(PROC_THREAD_ATTRIBUTE_HANDLE_LIST, inherited_.data(), sizeof inherited_);
    set(PROC_THREAD_ATTRIBUTE_JOB_LIST, &job_, sizeof job_);
    info.StartupInfo.cb = sizeof info;
    info.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  }
  ~StartSettings() { DeleteProcThreadAttributeList(info.lpAttributeList); }
  StartSettings(const StartSettings&) = delete;
  StartSettings& operator=(const StartSettings&) = delete;

  STARTUPINFOEXW info{};

 private:
  void set(DWORD_PTR attribute, void* value, std::size_t size) {
    if (UpdateProcThreadAttribute(info.lpAttributeList, 0, attribute, value, size, nullptr, nullptr) != 0) return;
    throw Error(ErrorKind::failed, fmt::format("preparing a child process: {}", error_text(GetLastError())));
  }

  HANDLE job_;
  std::array<HANDLE, 4> inherited_;
  std::vector<char> memory_;
};

Handle make_job() {
  Handle job(CreateJobObjectW(nullptr, nullptr));
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  if (job) SetInformationJobObject(job.get(), JobObjectExtendedLimitInformation, &limits, sizeof limits);
  return job;
}

Handle open_nothing() {
  SECURITY_ATTRIBUTES inheritable{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
  return Handle(
      CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, &inheritable, OPEN_EXISTING, 0, nullptr));
}

}  // namespace

struct ChildProcess::Handles {
  Handles(Handle control_end, Handle frames_end, Handle output_end)
      : control(std::move(control_end)), frames(std::move(frames_end)), output(std::move(output_end)) {}

  Handle job, process;
  PipeWriter control;
  PipeReader frames, output;
};

std::string ChildExit::text() const {
  const auto number = static_cast<unsigned>(code);
  if (!signalled) return fmt::format("ended with exit code {}", code);
  const char* name = number == kKilled                         ? "killed"
                     : number == EXCEPTION_ACCESS_VIOLATION    ? "access violation"
                     : number == EXCEPTION_STACK_OVERFLOW      ? "stack overflow"
                     : number == EXCEPTION_ILLEGAL_INSTRUCTION ? "illegal instruction"
                     : number == 0xC0000135                    ? "a DLL that it needs is missing"
                                                               : "";
  return fmt::format("was ended by status 0x{:08X}{}{}{}", number, *name != 0 ? " (" : "", name, *name != 0 ? ")" : "");
}

// Nothing: engines open a device by its path, and the parent's claim holds it meanwhile.
int ChildProcess::inherited_as(std::size_t) { return 0; }

ChildProcess::ChildProcess(const std::string& executable, const std::string& role, const std::vector<int>&) {
  PipePair down = make_pipe(PipeDirection::to_child), up = make_pipe(PipeDirection::to_parent);
  PipePair output = make_pipe(PipeDirection::to_parent);
  const Handle nothing = open_nothing();
  handles_ = std::make_unique<Handles>(std::move(down.parent), std::move(up.parent), std::move(output.parent));
  handles_->job = make_job();
  if (!handles_->job) fail(executable, GetLastError());
  StartSettings settings(handles_->job.get(), {down.child.get(), up.child.get(), output.child.get(), nothing.get()});
  settings.info.StartupInfo.hStdInput = nothing.get();
  settings.info.StartupInfo.hStdOutput = settings.info.StartupInfo.hStdError = output.child.get();
  const auto number = [](const Handle& handle) { return reinterpret_cast<std::uintptr_t>(handle.get()); };
  std::wstring line = wide(fmt::format("\"{}\" {} {} {}", executable, role, number(down.child), number(up.child)));
  PROCESS_INFORMATION started{};
  constexpr DWORD kHow = CREATE_NEW_PROCESS_GROUP | DETACHED_PROCESS | EXTENDED_STARTUPINFO_PRESENT;
  if (CreateProcessW(wide_path(executable).c_str(), line.data(), nullptr, nullptr, TRUE, kHow, nullptr, nullptr,
                     &settings.info.StartupInfo, &started) == 0) {
    fail(executable, GetLastError());
  }
  CloseHandle(started.hThread);
  handles_->process = Handle(started.hProcess);
}

ChildProcess::~ChildProcess() {
  if (exit_) return;
  kill();
  wait(std::chrono::milliseconds(100));
}

bool ChildProcess::send(FrameType type, std::string_view payload, std::chrono::milliseconds patience) {
  return handles_->control.write(encode_frame(type, payload), static_cast<DWORD>(patience.count()));
}

void ChildProcess::close_control() { handles_->control.close(); }

ChildProcess::Received ChildProcess::receive(std::chrono::milliseconds patience) {
  using What = Received::What;
  const Deadline deadline(patience);
  for (;;) {
    if (auto frame = reader_.next()) return {What::frame, std::move(*frame)};
    collect_output();
    if (!read_frames()) return {What::closed, {}};
    if (auto frame = reader_.next()) return {What::frame, std::move(*frame)};
    const DWORD left = deadline.left_ms();
    if (left == 0) return {};
    const std::array<HANDLE, 2> events{handles_->frames.event(), handles_->output.event()};
    WaitForMultipleObjects(static_cast<DWORD>(events.size()), events.data(), FALSE, left);
  }
}

// False at the end of the stream.
bool ChildProcess::read_frames() {
  const std::string_view bytes = handles_->frames.take();
  if (!bytes.empty()) reader_.feed(bytes);
  return !handles_->frames.closed();
}

// Takes what is there, but no more than some pipes hold: a child that never stops printing must not keep us here.
void ChildProcess::collect_output() {
  for (int reads = 0; reads < 16; ++reads) {
    const std::string_view bytes = handles_->output.take();
    if (bytes.empty()) return;
    log_.append(bytes);
    if (log_.size() > 2 * kLogCapacity) log_.erase(0, log_.size() - kLogCapacity);
  }
}

std::optional<ChildExit> ChildProcess::wait(std::chrono::milliseconds patience) {
  if (exit_) return exit_;
  const Deadline deadline(patience);
  for (;;) {
    const std::array<HANDLE, 2> events{handles_->process.get(), handles_->output.event()};
    const DWORD count = handles_->output.closed() ? 1 : 2;
    const DWORD seen = WaitForMultipleObjects(count, events.data(), FALSE, deadline.left_ms());
    collect_output();
    if (seen == WAIT_OBJECT_0) {
      DWORD code = 0;
      GetExitCodeProcess(handles_->process.get(), &code);
      collect_output();  // what an ended child has printed is in the pipe by now
      return exit_ = ChildExit{code >= 0xC0000000, static_cast<int>(code)};
    }
    if (deadline.left_ms() == 0) return std::nullopt;
  }
}

std::int64_t ChildProcess::process_id() const noexcept { return GetProcessId(handles_->process.get()); }

void ChildProcess::kill() noexcept {
  if (!exit_) TerminateJobObject(handles_->job.get(), kKilled);
}

std::string ChildProcess::log_tail() const {
  return log_.size() > kLogCapacity ? log_.substr(log_.size() - kLogCapacity) : log_;
}

}  // namespace diskproof
