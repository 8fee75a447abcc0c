// iocp: overlapped I/O on a completion port, one port per thread.
#include <array>
#include <cstdint>
#include <span>

#include <diskproof/engine.hpp>

#include "port_queue.hpp"
#include "port_windows.hpp"

namespace {

class IocpQueue;

struct IocpEngine {
  using Queue = IocpQueue;
  static constexpr dp::About kAbout{.name = "iocp",
                                    .version = "0.1.0",
                                    .summary = "Windows I/O completion ports, one per thread",
                                    .capabilities = DP_CAP_FILES | DP_CAP_DEVICES,
                                    .operations = dp::operations(DP_OP_READ, DP_OP_WRITE, DP_OP_TRIM, DP_OP_FSYNC,
                                                                 DP_OP_FDATASYNC, DP_OP_WRITE_ZEROES),
                                    .wait_granularity_ns = 1'000'000};  // the port waits in whole milliseconds
  static constexpr std::array kOptions{
      dp::option(DP_OPTION_BOOL, "skip_on_success",
                 "An I/O that ends inside its call is not sent through the port as well, where the file allows it.",
                 "true", 0, 0, DP_SCOPE_QUEUE)};

  static void probe(dp::Host) {}  // every Windows has these calls
  IocpEngine(dp::Host host_, dp::Options) : host(host_) {}

  dp::Host host;
};

class IocpQueue {
 public:
  IocpQueue(IocpEngine& engine, const dp_queue_params& params)
      : port_(std::span(params.targets, params.target_count), params.depth,
              dp::Options(params.options, params.option_count).flag("skip_on_success")),
        queue_(engine.host, port_, params.depth, params.target_count) {}

  std::int32_t submit(std::span<const dp_io> ios) noexcept { return queue_.submit(ios); }
  std::int32_t reap(std::span<dp_done> done, std::uint32_t min, std::uint64_t timeout_ns) noexcept {
    return queue_.reap(done, min, timeout_ns);
  }
  std::int32_t cancel(std::uint32_t tag) noexcept { return queue_.cancel(tag); }
  void target_info(std::uint32_t target, dp_target_info& info) const { port_.describe(target, info); }

 private:
  dp::WindowsPort port_;
  dp::PortQueue<dp::WindowsPort> queue_;
};

}  // namespace

DP_DEFINE_ENGINE(IocpEngine)
