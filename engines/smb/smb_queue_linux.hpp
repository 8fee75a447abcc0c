// A worker's queue: a client process, and so a connection, for each tag. What a client is asked for it does at once and
// waits for; the queue waits for whichever is first.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <diskproof/engine.hpp>

#include "client_linux.hpp"
#include "smb_engine_linux.hpp"
#include "smb_url.hpp"

namespace smb {

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
    std::string path;  // below the share
    bool writable = false;
    bool folder = false;     // for names only
    std::uint32_t file = 0;  // the clients' number of it
  };
  // An operation in flight.
  struct Slot {
    bool busy = false;
    bool is_name = false;
    std::uint64_t since = 0;  // ticks
    dp_io io{};
    dp_name_op name{};
  };

  void connect(const Credentials& credentials, bool encrypt);
  void find_place();
  void open_targets(std::span<const dp_target> targets);
  void await(Client& client, const std::string& tried);
  [[nodiscard]] Slot& take(std::uint32_t tag) noexcept;
  [[nodiscard]] int start(const dp_io& io) noexcept;
  [[nodiscard]] int start_name(const dp_name_op& op) noexcept;
  [[nodiscard]] bool put_path(std::span<char> to, const char* path) const noexcept;
  [[nodiscard]] static std::int64_t take_answer(const Slot& slot, const Client& client) noexcept;
  [[nodiscard]] static std::int64_t name_answer(const dp_name_op& op, const Client& client) noexcept;
  void finish(std::uint32_t tag, std::int64_t result) noexcept;
  void collect() noexcept;
  void look_after() noexcept;
  [[nodiscard]] std::string place() const;

  dp::Host host_;
  std::uint64_t timeout_;  // ns
  Url url_;
  std::string user_;
  std::string folder_;  // that names start from, below the share
  bool is_folder_ = true;
  Board board_;
  std::vector<Client> clients_;  // by tag
  std::vector<Slot> slots_;      // by tag
  std::vector<Target> targets_;
  std::vector<dp_done> ready_;  // completed, not reaped; within the reserved depth
  std::uint32_t in_flight_ = 0;
  std::uint64_t looked_ = 0;  // ticks of the last look at time limits and processes
};

}  // namespace smb
