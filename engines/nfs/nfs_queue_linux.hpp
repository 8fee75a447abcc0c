// A worker's queue: its connections, the targets open on each of them, and what is in flight by tag. The callbacks of
// libnfs run inside submit and reap.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <diskproof/engine.hpp>

#include "nfs_connection_linux.hpp"
#include "nfs_engine_linux.hpp"

namespace nfs {

class Queue {
 public:
  Queue(Engine& engine, const dp_queue_params& params);
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  std::int32_t submit(std::span<const dp_io> ios) noexcept;
  std::int32_t submit_names(std::span<const dp_name_op> ops) noexcept;
  std::int32_t reap(std::span<dp_done> done, std::uint32_t min, std::uint64_t timeout_ns) noexcept;
  std::int32_t cancel(std::uint32_t) noexcept { return -DP_ENOTSUP; }
  void target_info(std::uint32_t target, dp_target_info& info);

 private:
  struct Target {
    std::string path;  // below what is mounted
    bool writable = false;
    bool folder = false;  // for names only
  };
  // One TCP connection; files by target.
  struct Line {
    std::unique_ptr<Connection> connection;
    std::vector<nfsfh*> files;
    std::uint32_t in_flight = 0;
  };
  // An operation in flight.
  struct Slot {
    Queue* queue = nullptr;
    Line* line = nullptr;
    std::uint32_t tag = 0;
    bool busy = false;
    std::uint32_t moved = 0;  // bytes, of an I/O that goes on after a part of it
    dp_io io{};
    dp_name_op name{};
    std::string path, path2;  // of a name, below what is mounted
    nfsfh* file = nullptr;    // of a name that is made durable
    int status = 0;           // of its flush
  };

  void open_targets(Line& line, std::span<const dp_target> targets);
  void close_targets(Line& line) noexcept;
  [[nodiscard]] Slot& take(std::uint32_t tag, Line& line) noexcept;
  void finish(Slot& slot, int status) noexcept;
  void flush() noexcept;
  void pump(std::uint64_t wait_ns) noexcept;
  void serve(Line& line, int events) noexcept;
  void lose(Line& line, std::size_t told) noexcept;

  [[nodiscard]] int check(const dp_io& io) const noexcept;
  void go_on(Slot& slot) noexcept;
  static void io_done(int status, nfs_context*, void* data, void* slot) noexcept;

  // nfs_names_linux.cpp
  void start_name(Slot& slot) noexcept;
  [[nodiscard]] int call_name(Slot& slot) noexcept;
  static void name_done(int status, nfs_context*, void*, void* slot) noexcept;
  static void open_done(int status, nfs_context*, void* data, void* slot) noexcept;
  static void stat_done(int status, nfs_context*, void* data, void* slot) noexcept;
  static void list_done(int status, nfs_context*, void* data, void* slot) noexcept;
  static void sync_looked(int status, nfs_context*, void* data, void* slot) noexcept;
  static void sync_opened(int status, nfs_context*, void* data, void* slot) noexcept;
  static void sync_flushed(int status, nfs_context*, void* data, void* slot) noexcept;
  static void sync_closed(int status, nfs_context*, void* data, void* slot) noexcept;

  dp::Host host_;
  Url url_;
  std::vector<Target> targets_;
  std::vector<Line> lines_;
  std::vector<Slot> slots_;     // by tag
  std::vector<dp_done> ready_;  // completed, not reaped; within the reserved depth
  std::uint32_t in_flight_ = 0;
};

}  // namespace nfs
