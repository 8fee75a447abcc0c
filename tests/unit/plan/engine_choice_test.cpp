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
                         {"URL", "aio", DiskKind::url, {100, 0, 0}, "does not work on URLs"},
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

TEST_CASE("engine choice: flushes need an engine that has them, where something is written") {
  Phase phase = sample_phase("p");
  phase.operations = {.read = 0, .write = 100, .trim = 0};
  phase.fsync = {.every = 1, .end = false, .data_only = true};
  const auto fault = [&] {
    Diagnostics diagnostics;
    choose(SampleMachine{}, phase, diagnostics);
    return diagnostics.empty() ? std::string() : diagnostics[0].message;
  };
  CHECK(fault() == "engine aio cannot fdatasync");
  phase.fsync.data_only = false;
  CHECK(fault() == "");
  phase.operations = {.read = 100, .write = 0, .trim = 0};
  phase.fsync.data_only = true;
  CHECK(fault() == "");
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

TEST_CASE("engine choice: what an engine says of options together is an error where the first one it names stands") {
  SampleMachine machine;
  for (const char* name : {"low", "low_high"}) {
    EngineOption option;
    option.name = name;
    option.type = DP_OPTION_INTEGER;
    machine.engines["null"].options.push_back(option);
  }
  EngineTrial tried;
  machine.try_engine = [&](const EngineInfo&, const EngineTrial& trial) {
    tried = trial;
    throw Error(ErrorKind::bad_job, "low_high is not above low");
  };
  Job job = sample_job(DiskKind::virtual_disk);
  job.phases[0].engines = {{"null", {{"low", "3"}, {"low_high", "2"}}}};
  job.source.add("phases[0].engine", {10, 5});
  job.source.add("phases[0].engine.low", {11, 7});
  job.source.add("phases[0].engine.low_high", {12, 7});
  Diagnostics diagnostics;
  choose_engine(job, job.disks[0], job.phases[0], "phases[0]", machine.view(), diagnostics);
  REQUIRE(diagnostics.size() == 1);
  CHECK(to_string(diagnostics[0]) == "sample.yaml:12:7 error: phases[0].engine.low_high: low_high is not above low");
  CHECK(tried.options == std::map<std::string, std::string>{{"low", "3"}, {"low_high", "2"}});
  CHECK(tried.target == "data");
  CHECK(tried.size == std::uint64_t{1} << 40);
  CHECK(tried.depth == 4);

  job.source.add("phases[0].engine[0]", {20, 5});
  job.source.add("phases[0].engine[0].low_high", {21, 7});
  diagnostics.clear();
  choose_engine(job, job.disks[0], job.phases[0], "phases[0]", machine.view(), diagnostics);
  REQUIRE(diagnostics.size() == 1);
  CHECK(diagnostics[0].at.line == 21);

  machine.try_engine = [&](const EngineInfo&, const EngineTrial&) { throw Error(ErrorKind::bad_job, "no"); };
  diagnostics.clear();
  choose_engine(job, job.disks[0], job.phases[0], "phases[0]", machine.view(), diagnostics);
  REQUIRE(diagnostics.size() == 1);
  CHECK(diagnostics[0].at.line == 20);
}

TEST_CASE("engine choice: options that this machine cannot have pass the engine over, or throw") {
  SampleMachine machine;
  EngineOption option;
  option.name = "poll";
  option.type = DP_OPTION_BOOL;
  machine.engines["aio"].options = {option};
  machine.engines["ring"] = sample_engine("ring", DP_CAP_FILES);
  machine.try_engine = [](const EngineInfo&, const EngineTrial& trial) {
    CHECK(trial.target.empty());
    throw Error(ErrorKind::unavailable, "no polling here");
  };
  Phase phase = sample_phase("p");
  phase.engines = {{"aio", {{"poll", "true"}}}, {"ring", {}}};
  Diagnostics diagnostics;
  const EnginePlan plan = choose(machine, phase, diagnostics);
  CHECK(plan.name == "ring");
  REQUIRE(plan.passed_over.size() == 1);
  CHECK(plan.passed_over[0].reason == "no polling here");
  phase.engines.pop_back();
  CHECK_THROWS_WITH_AS(choose(machine, phase, diagnostics), "phase p: no polling here", Error);
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
