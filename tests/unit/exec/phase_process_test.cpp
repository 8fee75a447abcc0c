// Whole phases through the real child, on the simulated disk and on files.
#include <algorithm>
#include <doctest/doctest.h>
#include <fstream>
#include <string>

#include "exec/engine_probe.hpp"
#include "exec/pacer.hpp"
#include "exec/seed_streams.hpp"
#include "metrics/books.hpp"
#include "process_bench.hpp"
#include "support/error.hpp"
#include "support/temp_folder.hpp"

using namespace diskproof;
using namespace diskproof::testing;
using namespace std::string_literals;

namespace {

using Options = std::map<std::string, std::string>;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

PhaseResult run(const Plan& plan, Recorder& recorder, std::size_t index = 0) {
  PhaseResult result = run_phase(plan, index, child_settings(), recorder.stop, recorder);
  CAPTURE(result.log_tail);
  CHECK_FALSE(contains(result.log_tail, "Sanitizer"));
  CHECK_FALSE(result.tainted);
  if (result.data != nullptr) {
    const auto fault = check_books(*result.data, PhaseMetrics{});
    const std::string text = fault ? fault->text : "";
    CHECK(text == "");
  }
  return result;
}

PhaseResult run(const Plan& plan) {
  Recorder recorder;
  return run(plan, recorder);
}

std::uint64_t reads(const PhaseResult& result) { return result.data->directions[0].operations; }

// A phase of the sync engine on a file of 64 KiB + 100 bytes.
Plan file_plan(const std::string& path, PhaseKind kind) {
  Plan plan = sim_plan();
  PhasePlan& phase = plan.phases[0];
  phase.kind = kind;
  phase.engine.name = "sync";
  phase.engine.path = engine_path("sync");
  phase.engine.no_target = false;
  phase.direct = false;
  phase.queue_depth = 1;
  phase.targets = {{path, 65536 + 100}};
  phase.region_size = 65536 + 100;
  if (kind == PhaseKind::layout) {
    phase.operations = {.read = 0, .write = 100, .trim = 0};
    phase.stop = {StopRule::Kind::bytes, phase.region_size};
    phase.fsync.end = true;
  }
  return plan;
}

}  // namespace

TEST_CASE("phase: a counted phase counts exactly N over its threads") {
  Plan plan = sim_plan({{"service_time", "100000"}});
  plan.phases[0].threads = 3;
  plan.phases[0].warmup = 50 * kMillisecond;
  Recorder recorder;
  const PhaseResult result = run(plan, recorder);
  CHECK(result.reason == "");
  CHECK(result.completed);
  CHECK_FALSE(result.interrupted);
  REQUIRE(result.data != nullptr);
  CHECK(reads(result) == 1000);
  CHECK(result.data->directions[0].bytes == 1000 * 4096);
  CHECK(result.data->directions[0].latency.min() >= 100'000);
  CHECK(result.data->window_begin >= 50 * kMillisecond);
  CHECK(result.data->drain.finished);
  CHECK(recorder.intervals.size() == result.data->intervals.size());
}

TEST_CASE("phase: a rate is dealt to the threads and what it measured comes back whole") {
  Plan plan = sim_plan({{"service_time", "100000"}});
  plan.phases[0].threads = 2;
  plan.phases[0].rate = 2000;
  plan.phases[0].warmup = 20 * kMillisecond;
  plan.phases[0].stop = {StopRule::Kind::operations, 300};
  const PhaseResult result = run(plan);
  CHECK(result.reason == "");
  REQUIRE(result.data != nullptr);
  CHECK(reads(result) == 300);
  CHECK(result.data->window_end - result.data->window_begin >= 140 * kMillisecond);
  REQUIRE(result.data->open_loop);
  const OpenLoopTotals& open_loop = *result.data->open_loop;
  CHECK(open_loop.rate == 2000);
  CHECK(open_loop.issued == 300);
  CHECK(open_loop.unissued == 0);
  CHECK(open_loop.service_latency[0].count() == 300);
  CHECK(open_loop.service_latency[0].min() >= 100'000);
  CHECK(open_loop.service_latency[0].sum() <= result.data->directions[0].latency.sum());
}

TEST_CASE("phase: Poisson arrivals of its threads are those that the seed says") {
  Plan plan = sim_plan({{"service_time", "10000"}});
  PhasePlan& phase = plan.phases[0];
  phase.threads = 2;
  phase.rate = 2000;
  phase.arrival = Arrival::poisson;
  phase.warmup = 100 * kMillisecond;
  phase.stop = {StopRule::Kind::duration, 400 * kMillisecond};
  const PhaseResult result = run(plan);
  CHECK(result.reason == "");
  REQUIRE(result.data != nullptr);
  REQUIRE(result.data->open_loop);
  std::uint64_t due = 0;
  for (std::uint32_t worker = 0; worker < 2; ++worker) {
    const PaceSetup pace{2000, worker, 2, stream_seed(phase.seed, worker, kArrivalStream)};
    const Pacer pacer(pace, 0, TickScale::of(1'000'000'000));
    due += pacer.count_before(500 * kMillisecond) - pacer.count_before(100 * kMillisecond);
  }
  REQUIRE(result.data->open_loop->due);
  const std::uint64_t found = *result.data->open_loop->due;
  CHECK(std::max(found, due) - std::min(found, due) <= 2);  // the edges are of another clock
}

TEST_CASE("phase: a closed loop has no rate to speak of") {
  const PhaseResult result = run(sim_plan({{"service_time", "100000"}}));
  REQUIRE(result.data != nullptr);
  CHECK_FALSE(result.data->open_loop);
}

TEST_CASE("phase: a duration phase is as long as it says, and the cycle counter measures the same") {
  for (const bool cycles : {false, true}) {
    CAPTURE(cycles);
    Plan plan = sim_plan({{"service_time", "1000000"}});
    plan.phases[0].threads = 2;
    plan.phases[0].stop = {StopRule::Kind::duration, 250 * kMillisecond};
    ChildSettings settings = child_settings();
    if (cycles) settings.clock = sample_clocks();
    Recorder recorder;
    const PhaseResult result = run_phase(plan, 0, settings, recorder.stop, recorder);
    CHECK(result.reason == "");
    REQUIRE(result.data != nullptr);
    CHECK(result.data->window_end - result.data->window_begin == doctest::Approx(250e6).epsilon(1e-6));
    REQUIRE(result.data->intervals.size() == 3);
    CHECK(result.data->intervals[0].full);
    CHECK_FALSE(result.data->intervals[2].full);
    CHECK(result.data->in_flight_integral == doctest::Approx(result.data->in_window_time).epsilon(0.01));
    CHECK(result.data->in_flight_integral <= 2 * 4 * 250e6 * 1.001);
  }
}

TEST_CASE("phase: too many errors end it, with the first of them in the reason") {
  const PhaseResult result = run(sim_plan({{"error_every", "10"}, {"error_code", "enospc"}}));
  CHECK_FALSE(result.completed);
  CHECK(contains(result.reason, "1 I/O errors, 0 allowed by max_errors; at offset 36864 of d: enospc"));
  CHECK(contains(result.reason, "No space left on device"));
  REQUIRE(result.data != nullptr);
  CHECK(result.data->directions[0].errors == 1);
}

TEST_CASE("phase: errors within max_errors are part of a good result") {
  Plan plan = sim_plan({{"error_every", "100"}});
  plan.phases[0].max_errors = 10;
  const PhaseResult result = run(plan);
  CHECK(result.completed);
  CHECK(reads(result) == 990);
  CHECK(result.data->directions[0].errors == 10);
}

TEST_CASE("phase: a stuck I/O is named, what was measured is kept, the process is gone") {
  for (const char* option : {"stuck_at", "hang_at"}) {
    const std::string name = option;
    CAPTURE(name);
    std::map<std::string, std::string> options{{"service_time", "100000"}, {name, "201"}};
    if (name == "stuck_at") options["ignore_cancel"] = "true";
    Plan plan = sim_plan(options);
    plan.phases[0].threads = 2;
    plan.phases[0].io_timeout = kShortLimit;
    const PhaseResult result = run(plan);
    CHECK_FALSE(result.completed);
    CHECK(contains(result.reason, "an I/O at offset "));
    CHECK(contains(result.reason, "(io_timeout "s + kShortLimitText + ")"));
    REQUIRE(result.stuck.has_value());
    CHECK(result.stuck->age > kShortLimit);
    REQUIRE(result.data != nullptr);
    CHECK_FALSE(result.data->drain.finished);
    REQUIRE(result.data->stuck.has_value());
    CHECK(result.data->stuck->offset == result.stuck->offset);
    if (name == "stuck_at") CHECK(reads(result) >= 400);  // the worker that is not stuck has done its half
  }
}

TEST_CASE("phase: an engine that crashes or exits is named by how it ended") {
  CHECK(run(sim_plan({{"abort_at", "100"}})).reason ==
        "the phase's process was ended by signal 6 (Aborted) before it reported a result");
  CHECK(run(sim_plan({{"exit_at", "100"}})).reason ==
        "the phase's process ended with exit code 7 before it reported a result");
}

TEST_CASE("phase: interrupting keeps what was measured") {
  Plan plan = sim_plan({{"service_time", "1000000"}});
  plan.phases[0].stop = {StopRule::Kind::duration, 50'000 * kMillisecond};
  Recorder recorder;
  recorder.stop_at_first_tick = true;
  const PhaseResult result = run(plan, recorder);
  CHECK(result.interrupted);
  CHECK_FALSE(result.completed);
  CHECK(result.reason == "interrupted");
  REQUIRE(result.data != nullptr);
  CHECK(reads(result) > 0);
  CHECK(result.data->window_end < 50'000 * kMillisecond);
  CHECK(result.seconds < 20);
}

TEST_CASE("phase: interrupting before the start ends it at once") {
  Recorder recorder;
  recorder.stop.store(true);
  Plan plan = sim_plan();
  plan.phases[0].stop = {StopRule::Kind::duration, 50'000 * kMillisecond};
  const PhaseResult result = run(plan, recorder);
  CHECK(result.interrupted);
  CHECK_FALSE(result.completed);
  CHECK(result.reason != "");
  CHECK(result.seconds < 20);
}

TEST_CASE("phase: a timeout ends it and keeps what was measured") {
  Plan plan = sim_plan({{"service_time", "1000000"}});
  plan.phases[0].stop = {StopRule::Kind::operations, 1'000'000'000};
  plan.phases[0].timeout = 200 * kMillisecond;
  const PhaseResult result = run(plan);
  CHECK_FALSE(result.completed);
  CHECK_FALSE(result.interrupted);
  CHECK(result.reason == "not done within its timeout of 0.2 s");
  REQUIRE(result.data != nullptr);
  CHECK(reads(result) > 0);
}

TEST_CASE("phase: ticks tell of progress, never of time before the start") {
  Plan plan = sim_plan({{"service_time", "1000000"}});
  plan.phases[0].warmup = 300 * kMillisecond;
  plan.phases[0].stop = {StopRule::Kind::duration, 700 * kMillisecond};
  Recorder recorder;
  CHECK(run(plan, recorder).completed);
  CHECK(recorder.ticks.size() >= 2);
  double elapsed = 0;
  for (const PhaseTick& tick : recorder.ticks) {
    CHECK(tick.elapsed >= elapsed);
    CHECK(tick.elapsed < 60);
    CHECK(tick.done >= 0);
    CHECK(tick.done <= 1);
    elapsed = tick.elapsed;
  }
}

TEST_CASE("phase: what cannot be opened is said in the engine's or the system's words") {
  struct Row {
    std::string name;
    Plan plan;
    std::string reason;
  };
  const TempFolder folder;
  Plan no_engine = sim_plan();
  no_engine.phases[0].engine.path = folder.path("diskproof_engine_sim.so");
  Plan bad_option = sim_plan({{"colour", "blue"}});
  Plan no_blocks = sim_plan();
  no_blocks.phases[0].threads = 5;
  no_blocks.phases[0].region_size = 4 * 4096;
  const Row rows[] = {
      {"engine missing", no_engine, "diskproof_engine_sim.so: no such file"},
      {"option unknown", bad_option, "engine sim has no option colour"},
      {"file missing", file_plan(folder.path("absent"), PhaseKind::measure), "absent: No such file or directory"},
      {"a folder", file_plan(folder.path(), PhaseKind::measure), "not a regular file"},
      {"more threads than blocks", no_blocks, "5 threads share a region of 4 blocks"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const PhaseResult result = run(row.plan);
    CAPTURE(result.reason);
    CHECK_FALSE(result.completed);
    CHECK(contains(result.reason, row.reason));
    CHECK(result.data == nullptr);
  }
}

TEST_CASE("phase: a layout writes the whole file, its short end too, and a measured phase reads it") {
  const TempFolder folder;
  const std::string path = folder.write("file", "");
  const PhaseResult written = run(file_plan(path, PhaseKind::layout));
  CHECK(written.reason == "");
  REQUIRE(written.data != nullptr);
  const DirectionTotals& writes = written.data->directions[static_cast<std::size_t>(Direction::write)];
  CHECK(writes.operations == 17);
  CHECK(writes.bytes == 65536 + 100);
  CHECK(written.data->directions[static_cast<std::size_t>(Direction::sync)].operations == 1);
  const std::string content = folder.read("file");
  REQUIRE(content.size() == 65536 + 100);
  std::size_t zeros = 0;
  for (const char byte : content) zeros += byte == 0 ? 1 : 0;
  CHECK(zeros < content.size() / 16);  // random data and stamps

  const PhaseResult measured = run(file_plan(path, PhaseKind::measure));
  CHECK(measured.completed);
  CHECK(reads(measured) == 1000);
  CHECK(measured.data->directions[0].bytes == 1000 * 4096);
}

TEST_CASE("phase: trims, flushes and durable writes reach a real file") {
  const TempFolder folder;
  const std::string path = folder.write("file", std::string(65536 + 100, 'x'));
  Plan plan = file_plan(path, PhaseKind::measure);
  PhasePlan& phase = plan.phases[0];
  phase.operations = {.read = 0, .write = 0, .trim = 100};
  phase.stop = {StopRule::Kind::operations, 8};
  const PhaseResult trimmed = run(plan);
  CHECK(trimmed.reason == "");
  REQUIRE(trimmed.data != nullptr);
  CHECK(trimmed.data->directions[static_cast<std::size_t>(Direction::trim)].operations == 8);
  CHECK(trimmed.data->directions[static_cast<std::size_t>(Direction::trim)].bytes == 8 * 4096);
  CHECK(folder.read("file") == std::string(8 * 4096, '\0') + std::string(65536 + 100 - 8 * 4096, 'x'));

  for (const Durability durability : {Durability::dsync, Durability::sync}) {
    phase.operations = {.read = 0, .write = 100, .trim = 0};
    phase.stop = {StopRule::Kind::operations, 100};
    phase.sync = durability;
    phase.fsync = {.every = 10, .end = true, .data_only = true};
    const PhaseResult written = run(plan);
    CHECK(written.reason == "");
    REQUIRE(written.data != nullptr);
    CHECK(written.data->directions[static_cast<std::size_t>(Direction::write)].operations == 100);
    CHECK(written.data->directions[static_cast<std::size_t>(Direction::sync)].operations == 11);
  }
}

TEST_CASE("phase: bytes in blocks of several sizes end at most one block of each thread too late") {
  Plan plan = sim_plan({{"service_time", "10000"}});
  PhasePlan& phase = plan.phases[0];
  phase.threads = 3;
  phase.block_size = 32768;
  phase.block_sizes = {{4096, 50}, {32768, 50}};
  phase.access = Access::random;
  phase.warmup = 20 * kMillisecond;
  phase.stop = {StopRule::Kind::bytes, 10'000'000};
  const PhaseResult result = run(plan);
  CHECK(result.reason == "");
  REQUIRE(result.data != nullptr);
  CHECK(result.data->directions[0].bytes >= 10'000'000);
  CHECK(result.data->directions[0].bytes < 10'000'000 + 3 * 32768);
}

TEST_CASE("phase: written data is as compressible as its plan says") {
  const TempFolder folder;
  const std::string path = folder.write("file", "");
  Plan plan = file_plan(path, PhaseKind::layout);
  plan.phases[0].data.compressible = 75;
  CHECK(run(plan).reason == "");
  const std::string content = folder.read("file");
  std::size_t zeros = 0;
  for (const char byte : content) zeros += byte == 0 ? 1 : 0;
  CHECK(static_cast<double>(zeros) / static_cast<double>(content.size()) == doctest::Approx(0.75).epsilon(0.05));
}

TEST_CASE("probe: an engine tells of itself through a child") {
  const EngineInfo info = probe_engine(engine_path("sim"), child_settings());
  CHECK(info.name == "sim");
  CHECK(info.available);
  CHECK(info.path == engine_path("sim"));
  CHECK_FALSE(info.options.empty());
}

TEST_CASE("probe: what is no engine, crashes or hangs is an error that names it") {
  const TempFolder folder;
  struct Row {
    std::string name, path, reason;
  };
  const std::string own = DISKPROOF_TEST_ENGINE_FOLDER;
  const Row rows[] = {
      {"missing", folder.path("diskproof_engine_gone.so"), "no such file"},
      {"text", folder.write("diskproof_engine_text.so", "not an ELF file"), "cannot be loaded"},
      {"empty", folder.write("diskproof_engine_empty.so", ""), "cannot be loaded"},
      {"no symbols", own + "/diskproof_engine_plain.so", "has no symbol dp_engine_manifest: not a diskproof engine"},
      {"aborts when loaded", own + "/diskproof_engine_abort.so",
       "the engine crashed while asked for its manifest (signal 6)"},
      {"points nowhere", own + "/diskproof_engine_nowhere.so",
       "the engine crashed while asked for its manifest (signal 11)"},
      {"hangs when loaded", own + "/diskproof_engine_hang.so",
       "the engine did not answer within "s + kShortLimitText + " while asked for its manifest"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    ChildSettings settings = child_settings();
    if (row.name == "hangs when loaded") settings.limits.probe = kShortLimit;
    try {
      probe_engine(row.path, settings);
      FAIL("it was taken for an engine");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::unavailable);
      const std::string text = error.what();
      CAPTURE(text);
      CHECK(contains(text, "engine " + row.path));
      CHECK(contains(text, row.reason));
    }
  }
}

TEST_CASE("trial: options that do not go together are the job's fault, told in the engine's words") {
  const std::string sim = std::string(DISKPROOF_ENGINE_FOLDER) + "/diskproof_engine_sim" DISKPROOF_ENGINE_SUFFIX;
  const auto refusal = [&](const EngineTrial& trial) {
    try {
      try_engine(sim, trial, child_settings());
      return std::string();
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::bad_job);
      return std::string(error.what());
    }
  };
  CHECK(refusal({.options = {{"read_iops", "100"}}}).empty());
  CHECK(refusal({.options = {{"spread", "5"}}}) ==
        "engine sim cannot be created: spread needs distribution: uniform (einval)");
  EngineTrial on_disk{.options = {{"error_offset", "4096"}, {"error_length", "1"}}};
  CHECK(refusal(on_disk).empty());
  on_disk.target = "d";
  on_disk.size = 4096;
  CHECK(contains(refusal(on_disk), "error_offset 4096 lies behind the end of the disk, which has 4096 bytes"));
  on_disk.size = 4097;
  CHECK(refusal(on_disk).empty());
}

TEST_CASE("phase: an engine that hangs or aborts when it is loaded costs one phase") {
  Plan plan = sim_plan();
  plan.phases[0].engine.path = std::string(DISKPROOF_TEST_ENGINE_FOLDER) + "/diskproof_engine_abort.so";
  CHECK(contains(run(plan).reason, "was ended by signal 6 (Aborted)"));
  plan.phases[0].engine.path = std::string(DISKPROOF_TEST_ENGINE_FOLDER) + "/diskproof_engine_hang.so";
  ChildSettings settings = child_settings();
  settings.limits.silence = kShortLimit;
  Recorder recorder;
  CHECK(contains(run_phase(plan, 0, settings, recorder.stop, recorder).reason,
                 "the engine hung while it was loaded or opened"));
}
