// Preference lists: what is passed over, what is refused, what is unavailable.
#include "plan/engine_choice.hpp"

#include <doctest/doctest.h>

#include "support/plan_samples.hpp"

namespace diskproof {
namespace {

EnginePlan choose(const SampleMachine& machine, const Phase& phase, Diagnostics& diagnostics,
                  DiskKind kind = DiskKind::file) {
  const Job job = sample_job(kind);
  return choose_engine(job, job.disks[0], phase, "phases[0]", machine.view(), diagnostics);
}

TEST_CASE("engine choice: a list passes over what cannot run the phase and says why") {
  SampleMachine machine;
  machine.engines["ring"] = sample_engine("ring", DP_CAP_FILES);
  machine.engines["ring"].available = false;
  machine.engines["ring"].reason = "the kernel forbids it";
  machine.engines["shallow"] = sample_engine("shallow", DP_CAP_FILES, 2);
  machine.engines["reader"] = sample_engine("reader", DP_CAP_FILES);
  machine.engines["reader"].operations = 1u << DP_OP_READ;
  Phase phase = sample_phase("p");
  phase.operations = {.read = 50, .write = 50, .trim = 0};
  phase.engines = {{"lost", {}},   {"ring", {}}, {"sync", {}}, {"shallow", {}},
                   {"reader", {}}, {"null", {}}, {"aio", {}}};
  Diagnostics diagnostics;
  const EnginePlan plan = choose(machine, phase, diagnostics);
  CHECK(diagnostics.empty());
  CHECK(plan.name == "aio");
  CHECK(plan.path == "/engines/diskproof_engine_aio.so");
  REQUIRE(plan.passed_over.size() == 6);
  CHECK(plan.passed_over[0].reason == "engine lost is not there");
  CHECK(plan.passed_over[1].reason == "the kernel forbids it");
  CHECK(plan.passed_over[2].reason.find("queue_depth 4 cannot be held; use threads") != std::string::npos);
  CHECK(plan.passed_over[3].reason.find("at most 2, not 4") != std::string::npos);
  CHECK(plan.passed_over[4].reason == "engine reader cannot write");
  CHECK(plan.passed_over[5].reason.find("does not work on files") != std::string::npos);
}

TEST_CASE("engine choice: none left names every reason") {
  Phase phase = sample_phase("p");
  phase.engines = {{"lost", {}}, {"sync", {}}};
  Diagnostics diagnostics;
  try {
    choose(SampleMachine{}, phase, diagnostics);
    FAIL("no engine could be used");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::unavailable);
    const std::string text = error.what();
    CHECK(text.find("lost: engine lost is not there") != std::string::npos);
    CHECK(text.find("sync: engine sync does one I/O at a time") != std::string::npos);
  }
}

TEST_CASE("engine choice: a single engine that cannot do the job is the job's fault") {
  struct Row {
    const char* name;
    const char* engine;
    DiskKind kind;
    OperationMix mix;
    const char* message;
  };
  for (const Row& row : {Row{"sync at depth", "sync", DiskKind::file, {100, 0, 0}, "use threads instead"},
                         {"trim", "aio", DiskKind::file, {0, 0, 100}, "engine aio cannot trim"},
                         {"virtual disk", "aio", DiskKind::virtual_disk, {100, 0, 0}, "needs a file or device"},
                         {"file", "null", DiskKind::file, {100, 0, 0}, "does not work on files"}}) {
    CAPTURE(row.name);
    Phase phase = sample_phase("p");
    phase.engines = {{row.engine, {}}};
    phase.operations = row.mix;
    Diagnostics diagnostics;
    choose(SampleMachine{}, phase, diagnostics, row.kind);
    REQUIRE(diagnostics.size() == 1);
    CHECK(diagnostics[0].path == "phases[0].engine");
    CHECK(diagnostics[0].message.find(row.message) != std::string::npos);
  }
}

TEST_CASE("engine choice: a single engine that this machine lacks throws with the probe's reason") {
  SampleMachine machine;
  machine.engines["aio"].available = false;
  machine.engines["aio"].reason = "io_setup: EAGAIN";
  Diagnostics diagnostics;
  try {
    choose(machine, sample_phase("p"), diagnostics);
    FAIL("the engine is not available");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::unavailable);
    CHECK(std::string(error.what()) == "phase p: io_setup: EAGAIN");
  }
  CHECK(diagnostics.empty());
}

TEST_CASE("engine choice: options are checked and completed") {
  SampleMachine machine;
  EngineOption option;
  option.name = "batch_wait";
  option.type = DP_OPTION_DURATION;
  option.default_value = "0";
  machine.engines["aio"].options = {option};
  Phase phase = sample_phase("p");
  Diagnostics diagnostics;
  CHECK(choose(machine, phase, diagnostics).options.at("batch_wait") == "0");
  phase.engines = {{"aio", {{"batch_wait", "5us"}}}};
  CHECK(choose(machine, phase, diagnostics).options.at("batch_wait") == "5000");
  CHECK(diagnostics.empty());
  phase.engines = {{"aio", {{"batch_wiat", "5us"}}}};
  choose(machine, phase, diagnostics);
  REQUIRE(diagnostics.size() == 1);
  CHECK(diagnostics[0].path == "phases[0].engine.batch_wiat");
}

}  // namespace
}  // namespace diskproof
