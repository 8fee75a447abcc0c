// On paper: completion ports. The engine opens its own handles, one port per queue, an OVERLAPPED per tag; flush is a
// plain call that completes by itself. Shows that the contract fits without a Linux descriptor in sight.
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include <diskproof/engine.hpp>

#include "fake_win32.h"

namespace {

struct IocpEngine {
  using Queue = class IocpQueue;
  static constexpr dp::About kAbout{.name = "iocp",
                                    .version = "0",
                                    .summary = "I/O completion ports, on paper",
                                    .capabilities = DP_CAP_FILES | DP_CAP_DEVICES | DP_CAP_STAMPS,
                                    .operations = dp::operations(DP_OP_READ, DP_OP_WRITE, DP_OP_FSYNC),
                                    .wait_granularity_ns = 16'000'000};
  static constexpr std::array<dp_option, 0> kOptions{};
  static void probe(dp::Host) {}
  IocpEngine(dp::Host h, dp::Options) : host(h) {}
  dp::Host host;
};

dp_code code_from_windows(DWORD error) { return error == 0 ? DP_OK : error == 5 ? DP_EACCES : DP_EIO; }

class IocpQueue {
 public:
  IocpQueue(IocpEngine& engine, const dp_queue_params& params) : host_(engine.host), slots_(params.depth) {
    inline_.reserve(params.depth);
    for (const dp_target& target : std::span(params.targets, params.target_count)) {
      files_.push_back(OpenOverlapped(target.spec, target.flags));
      if (files_.back() == INVALID_HANDLE_VALUE) throw dp::EngineError(DP_ENOENT, target.spec, GetLastError());
      port_ = CreateIoCompletionPort(files_.back(), port_, files_.size(), 1);
    }
  }
  ~IocpQueue() {
    for (const HANDLE file : files_) CloseHandle(file);
    CloseHandle(port_);
  }

  std::int32_t submit(std::span<const dp_io> ios) noexcept {
    for (const dp_io& io : ios) {
      Slot& slot = slots_[io.tag];
      slot = {{}, files_[io.target], io.tag};
      slot.overlapped.Offset = static_cast<DWORD>(io.offset);
      slot.overlapped.OffsetHigh = static_cast<DWORD>(io.offset >> 32);
      if (io.op == DP_OP_FSYNC) {
        finish_now(io.tag, FlushFileBuffers(slot.file) != 0 ? 0 : GetLastError());
      } else if (start(io, slot) == 0 && GetLastError() != ERROR_IO_PENDING) {
        finish_now(io.tag, GetLastError());  // TRUE and PENDING both post a packet; any other error posts none
      }
    }
    return static_cast<std::int32_t>(ios.size());
  }
  std::int32_t reap(std::span<dp_done> done, std::uint32_t min, std::uint64_t timeout_ns) noexcept {
    std::size_t count = std::min(done.size(), inline_.size());
    std::copy_n(inline_.begin(), count, done.begin());
    inline_.erase(inline_.begin(), inline_.begin() + static_cast<std::ptrdiff_t>(count));
    std::array<OVERLAPPED_ENTRY, 64> entries;
    const auto room = static_cast<ULONG>(std::min(done.size() - count, entries.size()));
    const auto wait = count >= min ? 0 : static_cast<DWORD>(std::min<std::uint64_t>(timeout_ns / 1'000'000, 60'000));
    ULONG found = 0;
    if (room == 0 || GetQueuedCompletionStatusEx(port_, entries.data(), room, &found, wait, 0) == 0) found = 0;
    for (ULONG i = 0; i < found; ++i) {
      const auto* slot = reinterpret_cast<Slot*>(entries[i].lpOverlapped);
      const DWORD error = RtlNtStatusToDosError(slot->overlapped.Internal);
      done[count++] = completion(slot->tag, error, entries[i].dwNumberOfBytesTransferred);
    }
    return static_cast<std::int32_t>(count);
  }
  std::int32_t cancel(std::uint32_t tag) noexcept {
    return CancelIoEx(slots_[tag].file, &slots_[tag].overlapped) != 0 ? 0 : -DP_ENOTSUP;
  }
  void target_info(std::uint32_t target, dp_target_info& info) const {
    FILE_ID_INFO id{};
    GetFileIdInfo(files_.at(target), &id);
    info.volume_id = id.VolumeSerialNumber;
    info.file_id = id.FileId[0];
    info.file_id_high = id.FileId[1];
  }

 private:
  struct Slot {
    OVERLAPPED overlapped;  // first: a packet's address is the slot's
    HANDLE file;
    std::uint32_t tag;
  };
  static BOOL start(const dp_io& io, Slot& slot) noexcept {
    if (io.op == DP_OP_READ) return ReadFile(slot.file, io.data, io.length, nullptr, &slot.overlapped);
    return WriteFile(slot.file, io.data, io.length, nullptr, &slot.overlapped);
  }
  [[nodiscard]] dp_done completion(std::uint32_t tag, DWORD error, DWORD moved) const noexcept {
    const bool good = error == 0 || error == ERROR_HANDLE_EOF;  // reading past the end is a short read
    return {host_.now(), good ? std::int64_t{moved} : -std::int64_t{code_from_windows(error)}, tag, good ? 0 : error};
  }
  void finish_now(std::uint32_t tag, DWORD error) noexcept { inline_.push_back(completion(tag, error, 0)); }

  dp::Host host_;
  HANDLE port_ = nullptr;
  std::vector<HANDLE> files_;
  std::vector<Slot> slots_;      // by tag
  std::vector<dp_done> inline_;  // done inside submit; within the reserved depth
};

}  // namespace

template class dp::Adaptor<IocpEngine>;
