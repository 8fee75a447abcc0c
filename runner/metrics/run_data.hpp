// What one run of a phase measured, before it has names: counts, histograms, the interval series, the drain. Filled by
// exec/, read by phase_metrics and by nobody else. Times are nanoseconds since the phase's `go` unless they say so.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "integrity/verify_totals.hpp"
#include "metrics/histogram.hpp"
#include "metrics/network_totals.hpp"

namespace diskproof {

// The directions that have metrics of their own. `total` is the sum of read, write and trim; sync stands apart.
enum class Direction : std::uint8_t { read = 0, write = 1, trim = 2, sync = 3 };
inline constexpr std::size_t kDirections = 4;
inline constexpr std::array<const char*, kDirections> kDirectionNames{"read", "write", "trim", "sync"};

// Counts of one direction. An operation that failed is in `errors` only, with its time in `error_latency_sum`.
// What changes with every operation is on one cache line, but for the histogram's slot.
struct alignas(64) DirectionTotals {
  std::uint64_t operations = 0;  // successful
  std::uint64_t bytes = 0;       // of successful operations
  std::uint64_t errors = 0;
  std::uint64_t error_latency_sum = 0;
  Histogram latency;  // of successful operations
};

// One direction in one interval. Percentiles are absent where operations is 0.
struct IntervalDirection {
  std::uint64_t operations = 0;
  std::uint64_t bytes = 0;
  std::uint64_t errors = 0;
  std::uint64_t latency_sum = 0;
  std::uint64_t latency_max = 0;
  std::optional<std::uint64_t> p50, p99, p999;
  std::vector<std::uint64_t> above;  // per PhasePlan::latency_bounds: operations slower; empty where operations is 0
};

// Percentiles of one interval over read, write and trim together.
struct IntervalPercentiles {
  std::uint64_t p50 = 0, p99 = 0, p999 = 0;
};

// One slot of the fixed grid. Slots without operations are there too.
struct Interval {
  std::int64_t index = 0;      // 0 starts at the window; warm-up slots are negative
  std::uint64_t duration = 0;  // ns; the last slot of a series may be shorter than the grid
  bool full = true;            // false: shorter than the grid, left out of .iops.min and the like
  std::array<IntervalDirection, kDirections> directions{};
  std::optional<IntervalPercentiles> total;  // set where more than one of read, write and trim completed something
};

struct Drain {
  std::uint64_t operations = 0;                                    // in flight when the window ended
  std::uint64_t latency_max = 0;                                   // ns; 0 with operations 0
  std::array<std::uint64_t, kDirections> direction_latency_max{};  // ns, likewise; raises that direction's latency.max
  bool finished = true;                                            // false: given up on, see RunData::stuck
};

// An I/O that did not complete within io_timeout.
struct StuckIo {
  std::uint32_t worker = 0;
  std::uint32_t tag = 0;
  std::uint64_t offset = 0;
  std::uint64_t age = 0;  // ns
};

struct IoErrorExample {  // the first few failed operations, for the report
  Direction direction = Direction::read;
  std::uint64_t offset = 0;
  std::uint32_t length = 0;
  std::int32_t code = 0;      // dp_code
  std::uint32_t os_code = 0;  // errno
  std::string text;           // "EIO: Input/output error"
};

// What a phase with a rate measured besides, in its window. DirectionTotals::latency counts from the intended starts
// then.
struct OpenLoopTotals {
  double rate = 0;                                       // planned, operations per second of all workers
  std::uint64_t issued = 0;                              // started in the window
  std::uint64_t unissued = 0;                            // meant to start by its end, but not started
  std::optional<std::uint64_t> due;                      // meant to start in the window; absent: rate x window
  std::array<Histogram, kDirections> service_latency{};  // of successful operations, from submission
  Histogram lateness;                                    // of starts that no I/O in flight held up
};

// What the closer looks at the loop saw, see exec/round_samples: one round in 64 of every worker, in the window.
struct RoundLooks {
  std::uint64_t own = 0;                 // ns that the runner itself took: recording and preparing
  std::uint64_t whole = 0;               // ns of these rounds, calls of the engine included; > 0
  std::uint64_t batches = 0;             // of more than one I/O, submitted together
  std::uint64_t batches_seen_whole = 0;  // of these: complete when their first completion was seen
};

// The I/O memory of all workers.
struct BufferFacts {
  std::uint64_t bytes = 0;
  std::string pages;  // of the first worker's: small, transparent_huge, reserved_huge
};

// What the latencies were measured with. Drift: how far its ticks went from the system's clock, in parts per million of
// the time between; absent where the ticks are the system's clock, or too little time passed to tell.
struct ClockFacts {
  std::string source;  // "cycles", "monotonic"
  std::uint64_t ticks_per_second = 0;
  std::optional<double> drift_before;  // from its calibration to the start
  std::optional<double> drift;         // from the start to the end
};

struct RunData {
  // Only rows are there, with their sums; the window is what they cover, and there are no histograms, drain, depth or
  // CPU time: the process was lost and these had arrived, or the rows are the time that several phases have in common.
  bool partial = false;
  std::uint64_t window_begin = 0;  // ns since go
  std::uint64_t window_end = 0;
  std::uint64_t interval_grid = 0;  // ns
  std::array<DirectionTotals, kDirections> directions{};
  std::vector<Interval> intervals;         // the window, ascending from index 0
  std::vector<Interval> warmup_intervals;  // before it, ascending
  Drain drain;
  double in_flight_integral = 0;  // sum over workers of the integral of I/Os in flight over the window, in ns
  double in_window_time = 0;      // sum of every I/O's time inside the window (clipped at both edges), in ns
  std::uint64_t stall_max = 0;    // ns: longest time with I/O in flight and nothing completed, over all workers
  std::uint64_t cpu_user = 0;     // ns of the worker threads in the window
  std::uint64_t cpu_system = 0;
  std::optional<OpenLoopTotals> open_loop;
  std::optional<RoundLooks> looks;  // absent: too few rounds
  std::optional<BufferFacts> buffers;
  std::optional<ClockFacts> clock;
  std::vector<IoErrorExample> error_examples;
  std::optional<StuckIo> stuck;
  std::optional<VerifyTotals> verify;    // of a phase that stamped or checked
  std::optional<NetworkTotals> network;  // of the whole run, with its warm-up and drain; added by the parent
};

// What finished rows of a window that began at `begin` tell by themselves.
RunData partial_run(std::vector<Interval> rows, std::uint64_t begin, std::uint64_t grid);

}  // namespace diskproof
