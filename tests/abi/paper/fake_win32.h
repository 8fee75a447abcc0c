// The few declarations of the Windows API that the paper engine needs.
#pragma once

#include <cstddef>
#include <cstdint>

using HANDLE = void*;
using BOOL = int;
using DWORD = std::uint32_t;
using ULONG = std::uint32_t;
using ULONG_PTR = std::uintptr_t;
struct OVERLAPPED {
  ULONG_PTR Internal, InternalHigh;
  DWORD Offset, OffsetHigh;
  HANDLE hEvent;
};
struct OVERLAPPED_ENTRY {
  ULONG_PTR lpCompletionKey;
  OVERLAPPED* lpOverlapped;
  ULONG_PTR Internal;
  DWORD dwNumberOfBytesTransferred;
};
struct FILE_ID_INFO {
  std::uint64_t VolumeSerialNumber;
  std::uint64_t FileId[2];
};
inline constexpr DWORD ERROR_IO_PENDING = 997, ERROR_HANDLE_EOF = 38;
inline const HANDLE INVALID_HANDLE_VALUE = reinterpret_cast<HANDLE>(-1);

extern "C" {
HANDLE OpenOverlapped(const char* utf8_path, std::uint32_t flags);  // stands for the CreateFileW call and its flags
HANDLE CreateIoCompletionPort(HANDLE file, HANDLE port, ULONG_PTR key, DWORD threads);
BOOL GetQueuedCompletionStatusEx(HANDLE port, OVERLAPPED_ENTRY* entries, ULONG max, ULONG* count, DWORD ms, BOOL alert);
BOOL ReadFile(HANDLE file, void* to, DWORD length, DWORD* moved, OVERLAPPED* overlapped);
BOOL WriteFile(HANDLE file, const void* from, DWORD length, DWORD* moved, OVERLAPPED* overlapped);
BOOL FlushFileBuffers(HANDLE file);
BOOL CancelIoEx(HANDLE file, OVERLAPPED* overlapped);
BOOL CloseHandle(HANDLE handle);
BOOL GetFileIdInfo(HANDLE file, FILE_ID_INFO* info);  // stands for GetFileInformationByHandleEx
DWORD GetLastError();
DWORD RtlNtStatusToDosError(ULONG_PTR status);
}
