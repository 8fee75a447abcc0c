// From the registry and the system calls of Windows.
#include <cstdlib>
#include <fmt/format.h>
#include <thread>

#include "cli/machine.hpp"
#include "support/error.hpp"
#include "support/system_windows.hpp"
// after windows.h
#include <ntsecapi.h>
#include <shellapi.h>

namespace diskproof {
namespace {

MEMORYSTATUSEX memory_status() {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof status;
  if (GlobalMemoryStatusEx(&status) == 0) status.ullAvailPhys = status.ullTotalPhys = 0;
  return status;
}

std::string registry_text(const wchar_t* key, const wchar_t* name) {
  wchar_t text[256];
  DWORD bytes = sizeof text;
  if (RegGetValueW(HKEY_LOCAL_MACHINE, key, name, RRF_RT_REG_SZ, nullptr, text, &bytes) != ERROR_SUCCESS) return "";
  std::string value = utf8(text);
  while (value.ends_with(' ')) value.pop_back();
  return value;
}

// The number that GetVersionEx hides from programs without a manifest.
std::string kernel_version() {
  using GetVersion = LONG(WINAPI*)(OSVERSIONINFOW*);
  const HMODULE kernel = GetModuleHandleW(L"ntdll.dll");
  const auto get = reinterpret_cast<GetVersion>(reinterpret_cast<void*>(GetProcAddress(kernel, "RtlGetVersion")));
  OSVERSIONINFOW version{};
  version.dwOSVersionInfoSize = sizeof version;
  if (get == nullptr || get(&version) != 0) return "Windows";
  return fmt::format("Windows {}.{}.{}", version.dwMajorVersion, version.dwMinorVersion, version.dwBuildNumber);
}

UINT previous_encoding = 0;  // of the console, which outlives this process
DWORD previous_mode = 0;

}  // namespace

HostFacts host_facts() {
  HostFacts facts;
  wchar_t name[256];
  DWORD length = 256;
  if (GetComputerNameExW(ComputerNameDnsHostname, name, &length) != 0) facts.hostname = utf8({name, length});
  facts.kernel = kernel_version();
  facts.os = registry_text(L"SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion", L"ProductName");
  facts.cpu_model = registry_text(L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0", L"ProcessorNameString");
  facts.cpus = std::thread::hardware_concurrency();
  facts.memory = memory_status().ullTotalPhys;
  return facts;
}

std::uint64_t random_number() {
  std::uint64_t number = 0;
  if (RtlGenRandom(&number, sizeof number) == 0) {
    throw Error(ErrorKind::unavailable, "the system gives no random numbers");
  }
  return number;
}

std::vector<std::string> program_arguments(int, char**) {
  int count = 0;
  wchar_t** words = CommandLineToArgvW(GetCommandLineW(), &count);
  std::vector<std::string> arguments;
  for (int i = 1; i < count; ++i) arguments.push_back(utf8(words[i]));
  LocalFree(words);
  return arguments;
}

void settle_process() {
  SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);  // a crash is the parent's to tell, not a window's
  previous_encoding = GetConsoleOutputCP();
  if (previous_encoding == 0 || previous_encoding == CP_UTF8) return;
  SetConsoleOutputCP(CP_UTF8);
  std::atexit([] { SetConsoleOutputCP(previous_encoding); });
}

// A console that is not told to takes the sequences that overwrite a line for text.
bool is_terminal_stdout() {
  const HANDLE console = GetStdHandle(STD_OUTPUT_HANDLE);
  if (GetConsoleMode(console, &previous_mode) == 0) return false;
  constexpr DWORD kSequences = ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING;
  if ((previous_mode & kSequences) == kSequences) return true;
  if (SetConsoleMode(console, previous_mode | kSequences) == 0) return false;
  std::atexit([] { SetConsoleMode(GetStdHandle(STD_OUTPUT_HANDLE), previous_mode); });
  return true;
}

}  // namespace diskproof
