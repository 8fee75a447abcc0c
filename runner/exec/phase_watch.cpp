// Frame by frame; a wait that has gone on for too long ends with the child killed.
#include "exec/phase_watch.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "exec/messages.hpp"
#include "exec/spare_child.hpp"
#include "metrics/books.hpp"
#include "metrics/run_data_json.hpp"
#include "support/clock.hpp"
#include "support/counted.hpp"
#include "support/error.hpp"
#include "target/throttle.hpp"

namespace diskproof {
namespace {

using std::chrono::milliseconds;

constexpr int kMostFrames = 1000;  // taken at once: a child that never stops sending must not keep us here

std::vector<int> descriptors(const std::vector<HeldDevice>& devices) {
  std::vector<int> all;
  for (const HeldDevice& device : devices) all.push_back(device.descriptor);
  return all;
}

std::string seconds_text(std::uint64_t ns) { return fmt::format("{:.1f} s", static_cast<double>(ns) / 1e9); }

}  // namespace

PhaseWatch::PhaseWatch(const Plan& plan, std::size_t index, const ChildSettings& settings,
                       const std::atomic<bool>& stop, PhaseObserver& observer)
    : phase_(plan.phases.at(index)),
      limits_(settings.limits),
      stop_(stop),
      hurry_(settings.hurry),
      observer_(observer),
      devices_(devices_of(phase_, settings)),
      child_(start_child(settings, descriptors(devices_))),
      begin_(monotonic_ns()),
      last_frame_(begin_) {
  const auto throttle = settings.throttles.find(phase_.disk);
  if (throttle != settings.throttles.end() && phase_.kind == PhaseKind::measure) {
    enter_throttle(throttle->second, child_->process_id());
  }
  for (std::size_t i = 0; i < devices_.size(); ++i) devices_[i].descriptor = ChildProcess::inherited_as(i);
  send(FrameType::plan, phase_request_text(plan, index, settings, devices_));
}

std::vector<HeldDevice> PhaseWatch::devices_of(const PhasePlan& phase, const ChildSettings& settings) {
  std::vector<HeldDevice> held;
  for (const HeldDevice& device : settings.devices) {
    const bool used = std::ranges::any_of(
        phase.targets, [&](const TargetPlan& target) { return target.device && target.spec == device.path; });
    if (used) held.push_back(device);
  }
  return held;
}

bool PhaseWatch::look(milliseconds patience) {
  try {
    for (int frames = 0; frames < kMostFrames; ++frames, patience = milliseconds(0)) {
      const auto received = child_->receive(patience);
      if (received.what == ChildProcess::Received::What::nothing_yet) return check_limits();
      closed_ = received.what == ChildProcess::Received::What::closed;
      if (closed_) return false;
      last_frame_ = monotonic_ns();
      if (!take(received.frame)) return false;
      if (received.frame.type == FrameType::ready) return true;  // go comes first
    }
    return check_limits();
  } catch (const std::exception& fault) {
    return give_up(fmt::format("the phase's process spoke nonsense: {}", fault.what()));
  }
}

void PhaseWatch::go(std::uint64_t start) {
  go_ = start;
  send(FrameType::go, go_text(go_));
}

void PhaseWatch::abandon(const std::string& reason) {
  note(reason);
  send_stop(monotonic_ns(), reason);
}

PhaseResult PhaseWatch::finish() {
  end_child();
  keep_arrived();
  result_.log_tail = child_->log_tail();
  if (child_->strays() > 0)
    result_.log_tail += fmt::format("warning: the engine left {} process{} running, which had to be killed\n",
                                    child_->strays(), child_->strays() == 1 ? "" : "es");
  result_.seconds = static_cast<double>(monotonic_ns() - begin_) / 1e9;
  return std::move(result_);
}

bool PhaseWatch::take(const Frame& frame) {
  switch (frame.type) {
    case FrameType::hello:
      if (parse_hello(frame.payload) == build_id()) return check_limits();
      return give_up("the program was replaced while it ran: run the job again");
    case FrameType::ready:
      if (ready_) throw Error(ErrorKind::failed, "ready for the second time");
      ready_ = true;
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
      note_error(parse_error(frame.payload));
      return go_ != 0;  // a result may follow
    case FrameType::result:
      return take_result(frame.payload);
    default:
      throw Error(ErrorKind::failed, fmt::format("frame type {}", static_cast<unsigned>(frame.type)));
  }
}

void PhaseWatch::note_error(const Error& error) {
  result_.unavailable = go_ == 0 && error.kind() == ErrorKind::unavailable;
  note(error.what());
}

void PhaseWatch::take_row(Interval row) {
  if (row.index != static_cast<std::int64_t>(rows_.size())) throw Error(ErrorKind::failed, "a row out of order");
  observer_.on_interval(row);
  rows_.push_back(std::move(row));
}

// Of a child that is lost, what it had sent until then.
void PhaseWatch::keep_arrived() {
  if (finished_ || rows_.empty()) return;
  result_.reason += "; what is reported of it is what had arrived: " + counted(rows_.size(), "interval");
  result_.data = std::make_shared<const RunData>(partial_run(std::move(rows_), phase_.warmup, phase_.interval_grid));
}

bool PhaseWatch::take_result(const std::string& payload) {
  if (go_ == 0) throw Error(ErrorKind::failed, "a result before the start");
  auto data = std::make_shared<const RunData>(run_data_from_json(nlohmann::ordered_json::parse(payload)));
  // What holds by construction; the rules that only measurements can break are findings.
  const auto fault = check_books(*data, PhaseMetrics{});
  if (fault && (fault->rule == "samples" || fault->rule == "rows")) throw Error(ErrorKind::failed, fault->text);
  result_.data = std::move(data);
  finished_ = true;
  result_.completed = result_.reason.empty() && (!stop_sent_ || complete_);
  if (stop_sent_ && !complete_) note(stop_reason_);
  return false;
}

bool PhaseWatch::check_limits() {
  const std::uint64_t now = monotonic_ns();
  if (now - last_frame_ > limits_.silence) {
    return give_up(fmt::format("{}nothing was heard of the phase's process for {}, it was killed",
                               !ready_ ? "the engine hung while it was loaded or opened: " : "",
                               seconds_text(limits_.silence)));
  }
  if (stop_.load() && !result_.interrupted) {
    result_.interrupted = true;
    complete_ = false;
    send_stop(now, "interrupted");
  }
  if (go_ != 0 && !stop_sent_) end_on_request(now);
  if (stop_sent_ && hurry_at_ == 0 && hurry_ != nullptr && hurry_->load()) {
    hurry_at_ = now;
    send(FrameType::stop, "{}");  // for the second time: cancel
  }
  if (hurry_at_ != 0 && now - hurry_at_ > limits_.hurry) {
    return give_up(stop_reason_ + ", and again while I/O was in flight; its process was killed");
  }
  if (!ready_ && now - begin_ > phase_.io_timeout) {
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
void PhaseWatch::send(FrameType type, const std::string& payload) {
  child_->send(type, payload, in_ms(limits_.silence));
}

void PhaseWatch::end_on_request(std::uint64_t now) {
  const std::optional<EndRequest> request = observer_.end_request();
  if (!request) return;
  complete_ = request->complete;
  send_stop(now, request->reason);
}

void PhaseWatch::send_stop(std::uint64_t now, std::string reason) {
  if (stop_sent_) return;
  stop_sent_ = true;
  stop_at_ = now;
  stop_reason_ = std::move(reason);
  send(FrameType::stop, "{}");
}

void PhaseWatch::note_stuck(const StuckIo& stuck) {
  result_.stuck = stuck;
  note(fmt::format("an I/O at offset {} has been in flight for {} (io_timeout {}): worker {}, tag {}", stuck.offset,
                   seconds_text(stuck.age), seconds_text(phase_.io_timeout), stuck.worker, stuck.tag));
}

void PhaseWatch::note(const std::string& reason) {
  if (result_.reason.empty()) result_.reason = reason;
}

bool PhaseWatch::give_up(const std::string& reason) {
  note(reason);
  child_->kill();
  return false;
}

void PhaseWatch::end_child() {
  child_->close_control();
  const milliseconds patience = in_ms(hurry_at_ == 0 ? limits_.end : limits_.hurry);
  auto ended = child_->wait(patience);
  const bool hung = !ended;
  if (hung) {
    child_->kill();
    ended = child_->wait(patience);
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

}  // namespace diskproof
