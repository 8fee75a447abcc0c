// One question, one answer, and a name for what happened when none comes.
#include "exec/engine_probe.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "exec/child_process.hpp"
#include "exec/messages.hpp"
#include "exec/spare_child.hpp"
#include "support/clock.hpp"
#include "support/error.hpp"

namespace diskproof {
namespace {

using std::chrono::milliseconds;

class ProbeWatch {
 public:
  ProbeWatch(const std::string& library_path, const ChildSettings& settings)
      : library_path_(library_path), limits_(settings.limits), child_(start_child(settings)) {}

  // The payload of the answer.
  std::string ask(const ProbeRequest& request, FrameType answer) {
    child_->send(FrameType::probe, probe_text(request), in_ms(limits_.probe));
    const std::string payload = await(answer);
    child_->close_control();
    child_->wait(in_ms(limits_.end));
    return payload;
  }

 private:
  std::string await(FrameType answer) {
    const std::uint64_t deadline = monotonic_ns() + limits_.probe;
    while (monotonic_ns() < deadline) {
      auto received = child_->receive(kChildPoll);
      if (received.what == ChildProcess::Received::What::nothing_yet) continue;
      if (received.what == ChildProcess::Received::What::closed) fail_ended();
      const Frame& frame = received.frame;
      if (frame.type == answer) return frame.payload;
      if (frame.type == FrameType::call) call_ = parse_call(frame.payload);
      if (frame.type == FrameType::error) throw parse_error(frame.payload);
    }
    fail(fmt::format("the engine did not answer within {:.1f} s {}", static_cast<double>(limits_.probe) / 1e9, when()));
  }

  [[noreturn]] void fail_ended() {
    const auto exit = child_->wait(in_ms(limits_.end));
    if (!exit) fail("the engine closed the pipe of its process " + when());
    if (exit->signalled) fail(fmt::format("the engine crashed {} (signal {})", when(), exit->code));
    fail(fmt::format("the engine ended its process {} (exit code {})", when(), exit->code));
  }

  [[nodiscard]] std::string when() const { return call_.empty() ? "while asked for its manifest" : "in its " + call_; }

  [[noreturn]] void fail(const std::string& text) const {
    throw Error(ErrorKind::unavailable, fmt::format("engine {}: {}", library_path_, text));
  }

  const std::string& library_path_;
  const ChildLimits limits_;
  const std::unique_ptr<ChildProcess> child_;
  std::string call_;  // of the engine, that began last
};

// What the engine does there is its own fault or this machine's; the job's only where it says so.
template <class Ask>
auto as_unavailable(const std::string& library_path, Ask ask) {
  try {
    return ask();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::unavailable || error.kind() == ErrorKind::bad_job) throw;
    throw Error(ErrorKind::unavailable, error.what());
  } catch (const std::exception& fault) {
    throw Error(ErrorKind::unavailable, fmt::format("engine {}: {}", library_path, fault.what()));
  }
}

}  // namespace

EngineInfo probe_engine(const std::string& library_path, const ChildSettings& settings) {
  return as_unavailable(library_path, [&] {
    const std::string answer =
        ProbeWatch(library_path, settings).ask({.library = library_path, .trial = {}}, FrameType::engine_info);
    return engine_info_from_json(nlohmann::ordered_json::parse(answer));
  });
}

void try_engine(const std::string& library_path, const EngineTrial& trial, const ChildSettings& settings) {
  as_unavailable(library_path, [&] {
    ProbeWatch(library_path, settings).ask({.library = library_path, .trial = trial}, FrameType::ready);
  });
}

}  // namespace diskproof
