// The parent's watch over one phase: an explicit sequence of waits, each with a limit.
#include "exec/phase_runner.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "exec/child_process.hpp"
#include "exec/messages.hpp"
#include "metrics/books.hpp"
#include "metrics/run_data_json.hpp"
#include "support/clock.hpp"
#include "support/counted.hpp"
#include "support/error.hpp"

namespace diskproof {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPoll{100};  // how soon `stop` is seen
// ns between go and the start: for the frame to arrive and every thread to wake, about 2 ms on a machine with free
// CPUs.
constexpr std::uint64_t kLead = 10'000'000;

milliseconds in_ms(std::uint64_t ns) { return milliseconds(ns / 1'000'000); }

std::string seconds_text(std::uint64_t ns) { return fmt::format("{:.1f} s", static_cast<double>(ns) / 1e9); }

class PhaseWatch {
 public:
  PhaseWatch(const Plan& plan, std::size_t index, const ChildSettings& settings, const std::atomic<bool>& stop,
             PhaseObserver& observer)
      : phase_(plan.phases.at(index)),
        limits_(settings.limits),
        stop_(stop),
        hurry_(settings.hurry),
        observer_(observer),
        child_(settings.executable),
        begin_(monotonic_ns()),
        last_frame_(begin_) {
    send(FrameType::plan, phase_request_text(plan, index, settings));
  }

  PhaseResult run() {
    try {
      while (step()) {
      }
    } catch (const std::exception& fault) {
      give_up(fmt::format("the phase's process spoke nonsense: {}", fault.what()));
    }
    end_child();
    keep_arrived();
    result_.log_tail = child_.log_tail();
    if (child_.strays() > 0)
      result_.log_tail += fmt::format("warning: the engine left {} process{} running, which had to be killed\n",
                                      child_.strays(), child_.strays() == 1 ? "" : "es");
    return std::move(result_);
  }

 private:
  // One wait; false when the phase is over.
  bool step() {
    auto received = child_.receive(kPoll);
    switch (received.what) {
      case ChildProcess::Received::What::closed:
        closed_ = true;
        return false;
      case ChildProcess::Received::What::frame:
        last_frame_ = monotonic_ns();
        return take(received.frame);
      case ChildProcess::Received::What::nothing_yet:
        break;
    }
    return check_limits();
  }

  bool take(const Frame& frame) {
    switch (frame.type) {
      case FrameType::hello:
        if (parse_hello(frame.payload) == build_id()) return check_limits();
        return give_up("the program was replaced while it ran: run the job again");
      case FrameType::ready:
        if (go_ != 0) throw Error(ErrorKind::failed, "ready for the second time");
        go_ = monotonic_ns() + kLead;
        send(FrameType::go, go_text(go_));
        return true;
      case FrameType::tick:
        observer_.on_tick(parse_tick(frame.payload));
        return check_limits();
      case FrameType::interval:
        take_row(parse_interval(frame.payload));
        return check_limits();
      case FrameType::stuck:
        note_stuck(parse_stuck(frame.payload));
        return true;
      case FrameType::error:
        note(parse_error(frame.payload).what());
        return go_ != 0;  // a result may follow
      case FrameType::result:
        return finish(frame.payload);
      default:
        throw Error(ErrorKind::failed, fmt::format("frame type {}", static_cast<unsigned>(frame.type)));
    }
  }

  void take_row(Interval row) {
    if (row.index != static_cast<std::int64_t>(rows_.size())) throw Error(ErrorKind::failed, "a row out of order");
    observer_.on_interval(row);
    rows_.push_back(std::move(row));
  }

  // Of a child that is lost, what it had sent until then.
  void keep_arrived() {
    if (finished_ || rows_.empty()) return;
    result_.reason += "; what is reported of it is what had arrived: " + counted(rows_.size(), "interval");
    result_.data = std::make_shared<const RunData>(partial_run(std::move(rows_), phase_.warmup, phase_.interval_grid));
  }

  bool finish(const std::string& payload) {
    if (go_ == 0) throw Error(ErrorKind::failed, "a result before the start");
    auto data = std::make_shared<const RunData>(run_data_from_json(nlohmann::ordered_json::parse(payload)));
    // What holds by construction; the rules that only measurements can break are findings.
    const auto fault = check_books(*data, PhaseMetrics{});
    if (fault && (fault->rule == "samples" || fault->rule == "rows")) throw Error(ErrorKind::failed, fault->text);
    result_.data = std::move(data);
    finished_ = true;
    result_.completed = result_.reason.empty() && !stop_sent_;
    if (stop_sent_ && result_.reason.empty()) note(stop_reason_);
    return false;
  }

  bool check_limits() {
    const std::uint64_t now = monotonic_ns();
    if (now - last_frame_ > limits_.silence) {
      return give_up(fmt::format("{}nothing was heard of the phase's process for {}, it was killed",
                                 go_ == 0 ? "the engine hung while it was loaded or opened: " : "",
                                 seconds_text(limits_.silence)));
    }
    if (stop_.load() && !result_.interrupted) {
      result_.interrupted = true;
      send_stop(now, "interrupted");
    }
    if (stop_sent_ && hurry_at_ == 0 && hurry_ != nullptr && hurry_->load()) {
      hurry_at_ = now;
      send(FrameType::stop, "{}");  // for the second time: cancel
    }
    if (hurry_at_ != 0 && now - hurry_at_ > limits_.hurry) {
      return give_up(stop_reason_ + ", and again while I/O was in flight; its process was killed");
    }
    if (go_ == 0 && now - begin_ > phase_.io_timeout) {
      return give_up(fmt::format("opening its targets and the engine took longer than io_timeout ({}), it was killed",
                                 seconds_text(phase_.io_timeout)));
    }
    if (go_ != 0 && now > go_ && now - go_ > phase_.timeout) {
      send_stop(now, fmt::format("not done within its timeout of {}", seconds_text(phase_.timeout)));
    }
    // After a stop the child drains for at most io_timeout before it reports what is stuck.
    if (stop_sent_ && now - stop_at_ > (go_ == 0 ? 0 : phase_.io_timeout) + limits_.silence) {
      return give_up(stop_reason_ + "; it did not end when asked to and was killed");
    }
    return true;
  }

  // A child that is gone or does not listen shows as the end of its frames or as silence.
  void send(FrameType type, const std::string& payload) { child_.send(type, payload, in_ms(limits_.silence)); }

  void send_stop(std::uint64_t now, std::string reason) {
    if (stop_sent_) return;
    stop_sent_ = true;
    stop_at_ = now;
    stop_reason_ = std::move(reason);
    send(FrameType::stop, "{}");
  }

  void note_stuck(const StuckIo& stuck) {
    result_.stuck = stuck;
    note(fmt::format("an I/O at offset {} has been in flight for {} (io_timeout {}): worker {}, tag {}", stuck.offset,
                     seconds_text(stuck.age), seconds_text(phase_.io_timeout), stuck.worker, stuck.tag));
  }

  void note(const std::string& reason) {
    if (result_.reason.empty()) result_.reason = reason;
  }

  bool give_up(const std::string& reason) {
    note(reason);
    child_.kill();
    return false;
  }

  void end_child() {
    child_.close_control();
    const milliseconds patience = in_ms(hurry_at_ == 0 ? limits_.end : limits_.hurry);
    auto ended = child_.wait(patience);
    const bool hung = !ended;
    if (hung) {
      child_.kill();
      ended = child_.wait(patience);
    }
    if (!ended) {
      result_.tainted = true;
      note("its process could not be ended: I/O may still be under way");
    } else if (closed_ && !finished_) {
      note(hung ? "the phase's process closed its pipe without a result and had to be killed"
                : fmt::format("the phase's process {} before it reported a result", ended->text()));
    } else if (result_.completed && (hung || ended->signalled || ended->code != 0)) {
      result_.completed = false;
      note(hung ? "the engine did not give back what it had open, and its process had to be killed"
                : fmt::format("the phase's process {} after it had reported its result", ended->text()));
    }
  }

  const PhasePlan& phase_;
  const ChildLimits limits_;
  const std::atomic<bool>& stop_;
  const std::atomic<bool>* const hurry_;
  PhaseObserver& observer_;
  ChildProcess child_;
  PhaseResult result_;
  std::vector<Interval> rows_;  // of the window, as they came
  std::string stop_reason_;
  const std::uint64_t begin_;
  std::uint64_t last_frame_;
  std::uint64_t go_ = 0;  // 0: not ready yet
  std::uint64_t stop_at_ = 0, hurry_at_ = 0;
  bool stop_sent_ = false, finished_ = false, closed_ = false;
};

}  // namespace

PhaseResult run_phase(const Plan& plan, std::size_t index, const ChildSettings& settings, const std::atomic<bool>& stop,
                      PhaseObserver& observer) {
  const PhasePlan& phase = plan.phases.at(index);
  return run_phase(plan, {index, phase.seed, phase.timeout}, settings, stop, observer);
}

PhaseResult run_phase(const Plan& plan, const PhaseStart& start, const ChildSettings& settings,
                      const std::atomic<bool>& stop, PhaseObserver& observer) {
  const std::uint64_t begin = monotonic_ns();
  PhaseResult result;
  try {
    Plan own = plan;
    own.phases.at(start.index).seed = start.seed;
    own.phases.at(start.index).timeout = start.timeout;
    result = PhaseWatch(own, start.index, settings, stop, observer).run();
  } catch (const std::exception& fault) {
    result.reason = fault.what();
  }
  result.seconds = static_cast<double>(monotonic_ns() - begin) / 1e9;
  return result;
}

}  // namespace diskproof
