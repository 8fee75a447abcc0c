// A completion port with the files of one queue, and an OVERLAPPED for every tag.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <diskproof/windows_file.hpp>

#include "port_queue.hpp"
// after windows.h
#include <winioctl.h>

namespace dp {

class WindowsPort {
 public:
  // Throws EngineError. `skip`: I/O that ends inside its call sends no packet, where the file's driver agrees.
  WindowsPort(std::span<const dp_target> targets, std::uint32_t depth, bool skip);
  ~WindowsPort();
  WindowsPort(const WindowsPort&) = delete;
  WindowsPort& operator=(const WindowsPort&) = delete;

  StartResult start(const dp_io& io) noexcept;
  [[nodiscard]] bool skips_port(std::uint32_t target) const noexcept { return files_[target].skips; }
  std::uint32_t get(std::span<Packet> packets, std::uint32_t& count, std::uint32_t ms) noexcept;
  void cancel(std::uint32_t tag) noexcept;
  static dp_code code(std::uint32_t error) noexcept { return code_from_windows(error); }

  void describe(std::uint32_t target, dp_target_info& info) const;

 private:
  struct Attached {
    WindowsFile file;
    bool skips = false;
  };
  // What FSCTL_FILE_LEVEL_TRIM reads; not in every system's headers.
  struct TrimRequest {
    DWORD key, count;
    ULONGLONG offset, length;
  };
  // Everything of an I/O that must stay where it is until its packet has come.
  struct Slot {
    OVERLAPPED overlapped;  // first: a packet's OVERLAPPED is its slot
    HANDLE port, file;
    DWORD error;   // of a flush
    DWORD length;  // bytes that an I/O without data counts for
    bool has_data;
    union {
      TrimRequest trim;
      FILE_ZERO_DATA_INFORMATION zero;
    } request;
  };

  StartResult move_data(const dp_io& io, Slot& slot, const WindowsFile& file) noexcept;
  StartResult control(const dp_io& io, Slot& slot) noexcept;
  StartResult flush(Slot& slot) noexcept;
  static void CALLBACK flush_now(PTP_CALLBACK_INSTANCE, void* slot) noexcept;
  Packet packet_of(const OVERLAPPED_ENTRY& entry) noexcept;

  HANDLE port_ = nullptr;
  std::vector<Attached> files_;
  std::vector<Slot> slots_;                // by tag
  std::vector<OVERLAPPED_ENTRY> entries_;  // of one get
};

}  // namespace dp
