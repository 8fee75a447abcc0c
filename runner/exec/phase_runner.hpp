// The parent's side of phases: starts their children, keeps the rendezvous, watches over them, and turns whatever
// happens to each (a result, an error, a signal, silence, nonsense) into one PhaseResult in bounded time.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "metrics/run_data.hpp"
#include "plan/plan.hpp"
#include "support/clock.hpp"

namespace diskproof {

// A moment of a running phase, about four times a second.
struct PhaseTick {
  enum class Stage { warmup, measure, drain } stage = Stage::measure;
  double elapsed = 0;         // seconds since go
  double total = 0;           // planned seconds; 0: unknown (a phase that counts bytes or operations)
  double done = 0;            // share of the planned work, 0…1
  double iops = 0;            // of the time since the tick before, errors excluded
  double bandwidth = 0;       // bytes/s, likewise
  std::uint64_t written = 0;  // bytes, the warm-up's included; of a mix those of finished intervals
};

// Somebody other than the phase itself wants it to end.
struct EndRequest {
  std::string reason;
  bool complete = false;  // it counts as measured, although it was shorter than planned
};

class PhaseObserver {
 public:
  virtual ~PhaseObserver() = default;
  virtual void on_tick(const PhaseTick& tick) = 0;
  virtual void on_interval(const Interval& interval) = 0;  // each finished row of the window, in order
  // Asked after each of those, and several times a second.
  virtual std::optional<EndRequest> end_request() { return std::nullopt; }
};

// How long a child may take for what should take no time, in ns.
struct ChildLimits {
  std::uint64_t silence = 5'000'000'000;  // without a frame: it hangs
  std::uint64_t end = 5'000'000'000;      // to end after its last word, and again after a kill
  std::uint64_t hurry = 800'000'000;      // to end once it was told to cancel its I/O, and again after a kill
  std::uint64_t probe = 5'000'000'000;    // to load and probe an engine
};

// The file that the parent prepared at a path: the child works on this one or on none.
struct TargetIdentity {
  std::string path;
  std::uint64_t device = 0;  // st_dev
  std::uint64_t inode = 0;
};

// A device that the parent has open for itself: the child works on this descriptor and opens no device by its path.
struct HeldDevice {
  std::string path;     // as the plan's target has it
  int descriptor = -1;  // the parent's; in a request the child's
};

class SpareChild;

struct ChildSettings {
  std::string executable;  // absolute path of this program, run again as the child
  std::string state_dir;   // the run's state folder, for engines; empty for a probe
  ClockSample clock{};     // taken when this process started: the child calibrates its clock against it
  ChildLimits limits{};
  std::vector<TargetIdentity> targets{};  // empty: not known, as for virtual disks
  std::vector<HeldDevice> devices{};
  // By disk: the group of the I/O controller that the child of a measuring phase is put into before it opens anything.
  std::map<std::string, std::string> throttles{};
  // Once set, a phase that was told to stop no longer waits for its I/O; may be null.
  const std::atomic<bool>* hurry = nullptr;
  SpareChild* spare = nullptr;  // taken where one waits; may be null
};

struct PhaseResult {
  // Measured as planned. Otherwise `reason` says why not, and data holds what was measured until then, if anything.
  bool completed = false;
  bool interrupted = false;  // ended because `stop` was set
  bool unavailable = false;  // it never started, because this machine lacks what it needs
  std::string reason;
  std::shared_ptr<const RunData> data;
  std::optional<StuckIo> stuck;
  bool tainted = false;  // the child could not be ended: its I/O may still be under way on this disk
  double seconds = 0;    // wall time from spawn to the end
  std::string log_tail;  // what the child and its engine printed, the last 64 KiB
};

// One run of a phase, and what differs from its plan.
struct PhaseStart {
  std::size_t index = 0;  // in plan.phases
  std::uint64_t seed = 0;
  std::uint64_t timeout = 0;          // ns from go
  PhaseObserver* observer = nullptr;  // never null
};

// Runs phases of the plan at the same time, each once in a child of its own: when all are ready they get the same go.
// When one ends early the others go on to their end; when one cannot start, none does. Never throws for what a child or
// an engine does. Opening targets and engine may take as long as one I/O (io_timeout). `stop` is polled at least every
// 100 ms; once set, all phases end early and what was measured is kept. The results are in the order of `starts`.
std::vector<PhaseResult> run_phases(const Plan& plan, std::span<const PhaseStart> starts, const ChildSettings& settings,
                                    const std::atomic<bool>& stop);

// Runs plan.phases[index] by itself, with the seed and the timeout of its plan.
PhaseResult run_phase(const Plan& plan, std::size_t index, const ChildSettings& settings, const std::atomic<bool>& stop,
                      PhaseObserver& observer);

// Entry point of the child: `diskproof --phase-child`. Speaks the protocol on the inherited pipes; returns the exit
// code.
int phase_child_main(int argc, char** argv);

}  // namespace diskproof
