// Every rule catches the engine that breaks it, by its name and with words that say how; engines that break none pass.
#include <atomic>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <future>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <sys/wait.h>
#include <vector>

#include "conformance/order.hpp"
#include "conformance/verifier.hpp"
#include "exec/protocol.hpp"
#include "support/temp_folder.hpp"

using namespace diskproof;

namespace {

std::string broken(const std::string& name) {
  if (name == "nowhere") return DISKPROOF_NOWHERE_LIBRARY;
  return std::string(DISKPROOF_BROKEN_FOLDER) + "/" + name + "/diskproof_engine_broken.so";
}

VerifySettings settings_for(const std::string& library, const TempFolder& folder) {
  return {.executable = DISKPROOF_BINARY, .library = library, .folder = folder.path()};
}

Verification verify(const VerifySettings& settings) {
  const std::atomic<bool> stop{false};
  return verify_engine(settings, stop, [](const RuleResult&) {});
}

struct Row {
  const char *rule, *fault;
  const char* words;  // of the note
};

// The faults of broken_engine.cpp; those of kLibraries are libraries of their own.
const Row kRows[] = {
    {"engine.handshake", "handshake", "is 'other' but the file is named for 'broken'"},
    {"engine.handshake", "nowhere", "signal 11 (Segmentation fault) in or after dp_engine_open"},
    {"engine.probe", "probe", "probing 10 times left 10 descriptors open"},
    {"engine.create", "create_leaks", "left 20 descriptors open"},
    {"engine.options", "option_refused", "its own table allows level: 10, and it refused that without a reason"},
    {"engine.options", "option_crash", "signal 5 (Trace/breakpoint trap) in or after create"},
    {"submit.once", "one_lost", "not completed after"},
    {"submit.once", "one_twice", "while it was not in flight"},
    {"submit.prefix", "too_many_taken", "more with 0 in flight in a queue of depth 32"},
    {"submit.prefix", "not_a_prefix", "a completion names tag 32"},
    {"submit.depth", "depth_halved", "a queue of depth 64 is full with 32 in flight"},
    {"submit.returns", "submit_waits", "submit returned only when its I/O was done"},
    {"submit.returns", "submit_crashes", "signal 5 (Trace/breakpoint trap) in or after submit"},
    {"submit.returns", "submit_exits", "ended with exit code 3 in or after submit"},
    {"submit.starts", "starts_with_min", "not completed after 1.0 s of reaping with min 0"},
    {"submit.starts", "reap_hangs", "hangs in or after reap: no end after 10 s, killed"},
    {"submit.starts", "close_hangs", "hangs in or after queue_close"},
    {"submit.starts", "close_crashes", "signal 6 (Aborted) in or after queue_close"},
    {"submit.operations", "sync_refused", "operation 4 is in the manifest and completed with -8 (enotsup)"},
    {"reap.min_zero", "min_zero_waits", "reap with min 0 on an empty queue took"},
    {"reap.timeout", "overshoots_empty", "with nothing in flight and a timeout of 10.0 ms took"},
    {"reap.overshoot", "overshoots_busy", "32 I/Os in flight and a timeout of 1 ms took"},
    {"reap.ready", "ready_waits", "although the I/O had long completed"},
    {"reap.max", "max_exceeded", "reap of at most 1 returned 1 and wrote to entry 1 too"},
    {"reap.stamps", "stamp_early", "is stamped 1, outside"},
    {"reap.stamps", "stamp_missing", "has no stamp"},
    {"open.itself", "path_refused", "cannot open a queue of depth 1"},
    {"open.missing", "open_silent", "without a text"},
    {"open.missing", "open_code", "expected the code enoent"},
    {"open.link", "link_followed", "followed a symbolic link"},
    {"open.undone", "open_undone", "opening a queue in vain 20 times left 20 descriptors open"},
    {"open.info", "info_size", "target_info says 65537 bytes of a target of 65536"},
    {"cancel.once", "cancel_loses", "not completed after"},
    {"cancel.once", "cancel_twice", "while it was not in flight"},
    {"cancel.once", "cancel_code", "cancel returned -12, expected 0 or -8"},
    {"cancel.drain", "full_loses_one", "1 of the accepted I/Os have not completed after 1.0 s, tag 31 the first"},
    {"data.odd", "offset_rounded", "where"},
    {"data.bounds", "read_past_end", "wrote 1 bytes behind its end"},
    {"data.batch", "batch_swaps", "where"},
    {"data.direct", "direct_flips", "where"},
    {"data.zeroes", "zeroes_idle", "gives"},
    {"place.regions", "regions_mixed", "where"},
    {"place.targets", "targets_mixed", "where"},
    {"error.short", "short_hidden", "completed with 4096 bytes, expected 1808 bytes"},
    {"error.failed", "failed_io_ends_queue", "ended the queue with -1 (eio)"},
    {"error.codes", "codes_lost", "completed with -17 (eother), expected -6 (eacces)"},
    {"error.codes", "errno_returned", "completed with -9 (etimedout), expected -6 (eacces)"},
    {"error.codes", "number_lost", "os_code 0"},
    {"queue.threads", "shared_target", "where"},
#ifndef __SANITIZE_ADDRESS__  // which has books of its own
    {"queue.cycles", "open_leaks_memory", "bytes of memory allocated"},
#endif
    {"queue.cycles", "open_leaks_descriptor", "left 25 descriptors open"},
    {"names.life", "rename_idle", "stat after rename completed with -4 (enoent)"},
    {"names.life", "name_lost", "not completed after"},
    {"life.load", "load_folder", "loading it changed the working directory from "},
    {"life.load", "load_thread", "loading it started 1 threads"},
    {"life.load", "load_process", " processes"},
    {"life.manners", "folder_changed", "a life of it changed the working directory from "},
    {"life.manners", "umask_changed", "changed the umask from "},
    {"life.manners", "signal_caught", "changed the caught signals from "},
    {"life.manners", "environment_changed", "changed the environment"},
    {"life.manners", "thread_left", "1 of its threads still run after destroy"},
    {"life.processes", "process_left", "of its processes are still there after destroy"},
    {"life.targets", "target_kept", "after queue_close 1 descriptors of the target are open"},
    {"names.errors", "missing_unlinked", "unlink of a name that is not there completed with 0 bytes"},
};

const std::set<std::string> kLibraries{"handshake", "load_folder", "load_process", "load_thread", "nowhere", "probe"};

RuleResult check(const Row& row) {
  const TempFolder folder;
  const std::string fault = row.fault;
  const bool compiled_in = kLibraries.contains(fault);
  VerifySettings settings = settings_for(broken(compiled_in ? fault : "by_option"), folder);
  if (!compiled_in) settings.options = {{"fault", fault}};
  settings.only = {row.rule};
  settings.patience = 1'000'000'000;
  settings.limit = 10'000'000'000;  // several start at the same time, slowly under a sanitizer
  const Verification verification = verify(settings);
  return verification.rules.at(0);
}

}  // namespace

// Most of them wait for what never comes, so several wait at the same time.
TEST_CASE("conformance: each broken engine is caught by its own rule") {
  constexpr std::size_t kAtOnce = 8;
  std::vector<std::future<RuleResult>> results;
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    if (i >= kAtOnce) results[i - kAtOnce].wait();
    results.push_back(std::async(std::launch::async, check, kRows[i]));
  }
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    CAPTURE(std::string(kRows[i].rule));
    CAPTURE(std::string(kRows[i].fault));
    const RuleResult result = results[i].get();
    CAPTURE(result.verdict.note);
    CHECK(std::string(outcome_name(result.verdict.outcome)) == "violation");
    CHECK(result.verdict.note.find(kRows[i].words) != std::string::npos);
  }
}

TEST_CASE("conformance: every rule has an engine that breaks it") {
  std::set<std::string> broken_rules, rules;
  for (const Row& row : kRows) broken_rules.insert(row.rule);
  for (const ConformanceRule& rule : conformance_rules()) {
    CAPTURE(std::string(rule.name));
    CHECK(rules.insert(rule.name).second);
    CHECK(broken_rules.contains(rule.name));
  }
  CHECK(rules.size() == broken_rules.size());
}

TEST_CASE("conformance: the engine of the faults breaks nothing without one") {
  const TempFolder folder;
  const Verification verification = verify(settings_for(broken("by_option"), folder));
  for (const RuleResult& rule : verification.rules) {
    CAPTURE(rule.name);
    CAPTURE(rule.verdict.note);
    CHECK(std::string(outcome_name(rule.verdict.outcome)) == "pass");
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("conformance: the engines of this build break no rule") {
  const TempFolder folder;
  std::map<std::string, std::future<Verification>> all;
  for (const std::string name : {"null", "sim", "sync", "libaio", "io_uring"}) {
    const std::string library = std::string(DISKPROOF_ENGINE_FOLDER) + "/diskproof_engine_" + name + ".so";
    if (!std::filesystem::exists(library)) continue;
    VerifySettings settings = settings_for(library, folder);
    settings.folder = folder.path(name);
    std::filesystem::create_directory(settings.folder);
    all[name] = std::async(std::launch::async, verify, settings);
  }
  for (auto& [name, future] : all) {
    CAPTURE(name);
    const Verification verification = future.get();
    CHECK(verification.rules.size() == conformance_rules().size());
    CHECK(std::filesystem::is_empty(folder.path(name)));
    if (verification.rules.at(1).verdict.outcome == RuleOutcome::cannot_run) {
      MESSAGE(name, " cannot run here: ", verification.rules.at(1).verdict.note);
      continue;
    }
    CHECK(verification.count(RuleOutcome::pass) > conformance_rules().size() / 2);
    for (const RuleResult& rule : verification.rules) {
      CAPTURE(std::string(rule.name));
      CAPTURE(rule.verdict.note);
      const bool good =
          rule.verdict.outcome == RuleOutcome::pass || rule.verdict.outcome == RuleOutcome::not_applicable;
      CHECK(good);
    }
  }
}

TEST_CASE("conformance: after a handshake that fails nothing else is tried") {
  const TempFolder folder;
  const Verification verification = verify(settings_for(broken("handshake"), folder));
  CHECK(verification.count(RuleOutcome::violation) == 1);
  CHECK(verification.count(RuleOutcome::not_run) == verification.rules.size() - 1);
  CHECK(verification.rules.size() == conformance_rules().size());
}

TEST_CASE("conformance: what cannot be loaded cannot run, and breaks no rule") {
  const TempFolder folder;
  const Verification verification = verify(settings_for(folder.path() + "/diskproof_engine_none.so", folder));
  CHECK(verification.count(RuleOutcome::violation) == 0);
  CHECK(verification.count(RuleOutcome::cannot_run) == 1);
  CHECK(verification.rules.front().verdict.note.find("no such file") != std::string::npos);
}

TEST_CASE("conformance: a child whose parent was gone before it began does nothing") {
  const TempFolder folder;
  const RuleOrder order{.library = broken("by_option"),
                        .rule = "submit.starts",
                        .folder = folder.path(),
                        .options = {{"fault", "reap_hangs"}},
                        .patience = 1'000'000'000};
  const std::string frame = folder.write("frame", encode_frame(FrameType::rule, order_text(order)));
  const int status = std::system(
      ("cat " + frame + " | (sleep 0.3; exec timeout 20 " + DISKPROOF_BINARY + " --rule-child 3<&0 4>/dev/null)")
          .c_str());
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 2);  // 124: it was still there
}

TEST_CASE("conformance: a stop ends it, and every rule is in the result") {
  const TempFolder folder;
  const std::atomic<bool> stop{true};
  const Verification verification =
      verify_engine(settings_for(broken("by_option"), folder), stop, [](const RuleResult&) {});
  CHECK(verification.interrupted);
  CHECK(verification.rules.size() == conformance_rules().size());
  CHECK(verification.count(RuleOutcome::not_run) == verification.rules.size());
}
