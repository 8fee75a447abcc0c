#include "port_windows.hpp"

#include <algorithm>
// after windows.h
#include <timeapi.h>

namespace dp {
namespace {

constexpr DWORD kTrimControl = CTL_CODE(FILE_DEVICE_FILE_SYSTEM, 130, METHOD_BUFFERED, FILE_WRITE_DATA);
constexpr ULONG_PTR kIoKey = 0, kFlushKey = 1;
constexpr UINT kResolution = 1;  // ms: how exactly a wait for the port ends

StartResult result_of(BOOL worked, DWORD moved) noexcept {
  if (worked != 0) return {kWorked, moved};
  return {GetLastError(), 0};
}

}  // namespace

WindowsPort::WindowsPort(std::span<const dp_target> targets, std::uint32_t depth, bool skip)
    : slots_(depth), entries_(depth) {
  files_.reserve(targets.size());
  for (const dp_target& target : targets) files_.push_back({WindowsFile(target, FILE_FLAG_OVERLAPPED)});
  port_ = CreateIoCompletionPort(INVALID_HANDLE_VALUE, nullptr, 0, 1);
  if (port_ == nullptr) throw_windows(GetLastError(), "create a completion port");
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const HANDLE file = files_[i].file.handle();
    if (CreateIoCompletionPort(file, port_, kIoKey, 0) == nullptr) {
      const DWORD error = GetLastError();
      CloseHandle(port_);
      throw_windows(error, std::string("attach to a completion port: ") + targets[i].spec);
    }
    constexpr UCHAR kModes = FILE_SKIP_COMPLETION_PORT_ON_SUCCESS | FILE_SKIP_SET_EVENT_ON_HANDLE;
    files_[i].skips = skip && SetFileCompletionNotificationModes(file, kModes) != 0;
  }
  timeBeginPeriod(kResolution);
}

WindowsPort::~WindowsPort() {
  timeEndPeriod(kResolution);
  CloseHandle(port_);
}

StartResult WindowsPort::start(const dp_io& io) noexcept {
  Slot& slot = slots_[io.tag];
  const WindowsFile& file = files_[io.target].file;
  slot.overlapped = {};
  slot.overlapped.Offset = static_cast<DWORD>(io.offset);
  slot.overlapped.OffsetHigh = static_cast<DWORD>(io.offset >> 32);
  slot.port = port_;
  slot.file = file.handle();
  slot.length = io.length;
  slot.has_data = false;
  switch (io.op) {
    case DP_OP_READ:
    case DP_OP_WRITE:
      return move_data(io, slot, file);
    case DP_OP_TRIM:
    case DP_OP_WRITE_ZEROES:
      return control(io, slot);
    case DP_OP_FSYNC:
    case DP_OP_FDATASYNC:
      return flush(slot);
    default:
      return {ERROR_NOT_SUPPORTED, 0};
  }
}

StartResult WindowsPort::move_data(const dp_io& io, Slot& slot, const WindowsFile& file) noexcept {
  if (!file.is_aligned(io)) return {ERROR_INVALID_PARAMETER, 0};
  slot.has_data = true;
  DWORD moved = 0;
  const BOOL worked = io.op == DP_OP_READ ? ReadFile(file.handle(), io.data, io.length, &moved, &slot.overlapped)
                                          : WriteFile(file.handle(), io.data, io.length, &moved, &slot.overlapped);
  return result_of(worked, moved);
}

StartResult WindowsPort::control(const dp_io& io, Slot& slot) noexcept {
  const bool trims = io.op == DP_OP_TRIM;
  if (trims) {
    slot.request.trim = {0, 1, io.offset, io.length};
  } else {
    slot.request.zero.FileOffset.QuadPart = static_cast<LONGLONG>(io.offset);
    slot.request.zero.BeyondFinalZero.QuadPart = static_cast<LONGLONG>(io.offset + io.length);
  }
  const DWORD size = trims ? sizeof slot.request.trim : sizeof slot.request.zero;
  DWORD returned = 0;
  const BOOL worked = DeviceIoControl(slot.file, trims ? kTrimControl : FSCTL_SET_ZERO_DATA, &slot.request, size,
                                      nullptr, 0, &returned, &slot.overlapped);
  return result_of(worked, io.length);
}

// There is no flush that does not wait: one of the system's threads waits for it.
StartResult WindowsPort::flush(Slot& slot) noexcept {
  if (TrySubmitThreadpoolCallback(flush_now, &slot, nullptr) == 0) return {GetLastError(), 0};
  return {ERROR_IO_PENDING, 0};
}

void CALLBACK WindowsPort::flush_now(PTP_CALLBACK_INSTANCE, void* which) noexcept {
  auto& slot = *static_cast<Slot*>(which);
  slot.error = FlushFileBuffers(slot.file) != 0 ? ERROR_SUCCESS : GetLastError();
  PostQueuedCompletionStatus(slot.port, 0, kFlushKey, &slot.overlapped);
}

// After a timeout the system leaves the count at 1: it is read only when the call has worked.
std::uint32_t WindowsPort::get(std::span<Packet> packets, std::uint32_t& count, std::uint32_t ms) noexcept {
  const auto most = static_cast<ULONG>(std::min(packets.size(), entries_.size()));
  ULONG removed = 0;
  if (GetQueuedCompletionStatusEx(port_, entries_.data(), most, &removed, ms, FALSE) == 0) return GetLastError();
  for (ULONG i = 0; i < removed; ++i) packets[i] = packet_of(entries_[i]);
  count = removed;
  return kWorked;
}

Packet WindowsPort::packet_of(const OVERLAPPED_ENTRY& entry) noexcept {
  auto* const slot = reinterpret_cast<Slot*>(entry.lpOverlapped);
  Packet packet{static_cast<std::uint32_t>(slot - slots_.data()), ERROR_SUCCESS, slot->length};
  if (entry.lpCompletionKey == kFlushKey) {
    packet.error = slot->error;
    return packet;
  }
  DWORD moved = 0;
  if (GetOverlappedResult(slot->file, &slot->overlapped, &moved, FALSE) == 0) packet.error = GetLastError();
  if (slot->has_data) packet.moved = moved;
  return packet;
}

void WindowsPort::cancel(std::uint32_t tag) noexcept {
  Slot& slot = slots_[tag];
  if (slot.file != nullptr) CancelIoEx(slot.file, &slot.overlapped);  // one that has ended is not found, which is well
}

void WindowsPort::describe(std::uint32_t target, dp_target_info& info) const {
  const Attached& attached = files_.at(target);
  attached.file.describe(info);
  copy_text(info.description,
            attached.skips ? "completions: inside the call or by the port" : "completions: by the port");
}

}  // namespace dp
