// The child of a phase: answers a probe, or runs one phase of the plan and watches over it. The main thread is the
// monitor and the only writer of frames; a second thread listens to the parent; the workers have threads of their own.
#include <atomic>
#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <thread>

#include "engine/engine_info.hpp"
#include "engine/library.hpp"
#include "engine/session.hpp"
#include "exec/buffer_pool.hpp"
#include "exec/child_channel.hpp"
#include "exec/child_host.hpp"
#include "exec/messages.hpp"
#include "exec/phase_execution.hpp"
#include "exec/url_child.hpp"
#include "metrics/run_data_json.hpp"
#include "support/error.hpp"
#include "support/thread_affinity.hpp"

namespace diskproof {

namespace {

constexpr auto kScanEvery = std::chrono::milliseconds(100);
constexpr std::uint64_t kTickEvery = 250'000'000;  // ns

// What the parent said since, for the monitor.
struct Orders {
  std::atomic<std::uint64_t> go{0};
  std::atomic<bool> stop{false};
  std::atomic<bool> cancel{false};    // told to stop for the second time
  std::atomic<bool> finished{false};  // set by the monitor: the end of the pipe is expected now
};

void listen(ChildChannel& channel, Orders& orders) {
  try {
    while (auto frame = channel.read()) {
      if (frame->type == FrameType::go) orders.go.store(parse_go(frame->payload));
      if (frame->type == FrameType::stop && orders.stop.exchange(true)) orders.cancel.store(true);
    }
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "error: the parent spoke nonsense: %s\n", fault.what());
    leave_now(2);
  }
  if (!orders.finished.load()) leave_now(2);  // the parent is gone
}

class Monitor {
 public:
  Monitor(ChildChannel& channel, PhaseExecution& execution, Orders& orders)
      : channel_(channel), execution_(execution), orders_(orders) {}

  void run() {
    while (!execution_.wait_ready(kScanEvery)) await();
    channel_.write(FrameType::ready, "{}");
    while (orders_.go.load() == 0) {
      await();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    execution_.start(orders_.go.load());
    while (!execution_.wait_ended(kScanEvery)) watch();
    send_intervals();
    if (const std::string failure = execution_.failure(); !failure.empty()) {
      channel_.write(FrameType::error, error_text(Error(ErrorKind::failed, failure)));
    }
    const RunData data = execution_.collect();
    orders_.finished.store(true);  // the parent closes its end as soon as it has the result
    channel_.write(FrameType::result, json_text(run_data_to_json(data)));
    if (!data.drain.finished) leave_now(2);  // a queue was lost: its I/O may still use what a destructor would free
  }

 private:
  void await() {
    if (orders_.stop.load()) throw Error(ErrorKind::failed, "stopped before it started");
    keep_alive();
  }

  void watch() {
    if (orders_.stop.load()) execution_.stop();
    if (orders_.cancel.load()) execution_.cancel();
    if (const auto stuck = execution_.find_stuck()) leave_stuck(*stuck);
    if (const std::string hanging = execution_.find_hanging_close(); !hanging.empty()) leave_hanging(hanging);
    send_intervals();
    keep_alive();
  }

  // The other workers get a moment to end, so that what they did is in the result.
  [[noreturn]] void leave_stuck(const StuckIo& stuck) {
    execution_.stop();
    execution_.wait_ended(kScanEvery * 2);
    send_intervals();
    channel_.write(FrameType::stuck, stuck_text(stuck));
    RunData data = execution_.collect();
    data.stuck = stuck;
    channel_.write(FrameType::result, json_text(run_data_to_json(data)));
    leave_now(2);
  }

  // What the other workers measured is kept.
  [[noreturn]] void leave_hanging(const std::string& reason) {
    execution_.stop();
    execution_.wait_ended(kScanEvery * 2);
    send_intervals();
    channel_.write(FrameType::error, error_text(Error(ErrorKind::failed, reason)));
    channel_.write(FrameType::result, json_text(run_data_to_json(execution_.collect())));
    leave_now(2);
  }

  void keep_alive() {
    const std::uint64_t now = monotonic_ns();
    if (now - last_tick_ < kTickEvery) return;
    last_tick_ = now;
    channel_.write(FrameType::tick, tick_text(execution_.tick()));
  }

  void send_intervals() {
    for (const Interval& row : execution_.take_intervals()) channel_.write(FrameType::interval, interval_text(row));
  }

  ChildChannel& channel_;
  PhaseExecution& execution_;
  Orders& orders_;
  std::uint64_t last_tick_ = 0;
};

// On a virtual disk with a buffer, and closed again.
void try_queue(Engine& engine, const EngineTrial& trial) {
  const BufferPool buffers(1, 1);  // a page
  const Queue queue(engine, {.depth = trial.depth,
                             .max_length = trial.max_length,
                             .targets = {{.spec = trial.target, .size = trial.size, .flags = DP_TARGET_WRITE}},
                             .regions = buffers.regions()});
}

void try_out(ChildChannel& channel, const Library& library, const EngineTrial& trial) {
  channel.write(FrameType::call, call_text("create"));
  Engine engine(library, trial.options);
  if (!trial.target.empty()) {
    channel.write(FrameType::call, call_text("queue_open"));
    try_queue(engine, trial);
  }
  channel.write(FrameType::call, call_text("destroy"));
}

void answer_probe(ChildChannel& channel, const ProbeRequest& request) {
  static const ChildHost host("", TickClock{});  // engines may keep it until the process ends
  const Library library = Library::load(request.library, host.table());
  if (request.trial) {
    try_out(channel, library, *request.trial);
    channel.write(FrameType::ready, "{}");
    return;
  }
  channel.write(FrameType::call, call_text("probe"));
  channel.write(FrameType::engine_info, json_text(engine_info_to_json(describe(library))));
}

// Runs the monitor; on failure the parent hears of it before anything is taken down, because a thread may hang in the
// engine.
void watch_over(ChildChannel& channel, PhaseExecution& execution, Orders& orders) {
  try {
    Monitor(channel, execution, orders).run();
    return;
  } catch (const Error& error) {
    channel.write(FrameType::error, error_text(error));
  } catch (const std::exception& fault) {
    channel.write(FrameType::error, error_text(Error(ErrorKind::failed, fault.what())));
  }
  leave_now(2);
}

void run_phase_request(ChildChannel& channel, const PhaseRequest& request, Orders& orders) {
  const PhasePlan& phase = request.plan.phases[request.phase];
  keep_this_thread_off(phase.cpus);  // the monitor, and what the engine starts
  const auto integrity = PhaseIntegrity::open(request.plan, phase, request.state_dir);
  const TickClock clock = TickClock::calibrated(request.clock);
  static const ChildHost host(request.state_dir, clock);  // engines may keep it until the process ends
  const Library library = Library::load(phase.engine.path, host.table());
  Engine engine(library, phase.engine.options);
  PhaseExecution execution(phase, engine, clock, {request.targets, request.devices}, integrity.get());
  watch_over(channel, execution, orders);
}

}  // namespace

int phase_child_main(int, char**) {
  ChildChannel channel;
  Orders orders;
  std::thread listener;
  int exit_code = 0;
  try {
    channel.write(FrameType::hello, hello_text());
    const auto order = channel.read();
    if (!order) return 2;
    if (order->type == FrameType::probe) {
      answer_probe(channel, parse_probe(order->payload));
      return 0;
    }
    if (order->type == FrameType::place) {
      serve_url_session(channel, order->payload);
      return 0;
    }
    if (order->type != FrameType::plan) throw Error(ErrorKind::failed, "expected a plan or a probe");
    const PhaseRequest request = parse_phase_request(order->payload);
    listener = std::thread([&] { listen(channel, orders); });
    run_phase_request(channel, request, orders);
  } catch (const Error& error) {
    channel.write(FrameType::error, error_text(error));
    exit_code = 2;
  } catch (const std::exception& fault) {
    channel.write(FrameType::error, error_text(Error(ErrorKind::failed, fault.what())));
    exit_code = 2;
  }
  orders.finished.store(true);
  if (listener.joinable()) listener.join();  // until the parent closes its end
  return exit_code;
}

}  // namespace diskproof
