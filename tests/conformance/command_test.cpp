// `engines --verify` as a user meets it: table, reports, exit codes, and nothing left behind.
#include <csignal>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <pugixml.hpp>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "integration/bench.hpp"

namespace diskproof::testing {
namespace {

namespace fs = std::filesystem;

const std::string kBroken = DISKPROOF_BROKEN_FOLDER "/by_option/diskproof_engine_broken.so";

// What `engines --verify` says with a scratch folder in which nothing may be left.
Finished verify(const Bench& bench, std::vector<std::string> arguments) {
  fs::create_directories(bench.path("scratch"));
  arguments.insert(arguments.begin(), {"engines", "--verify"});
  arguments.insert(arguments.end(), {"--scratch", bench.path("scratch")});
  const Finished finished = bench.diskproof(arguments);
  CHECK(fs::is_empty(bench.path("scratch")));
  CHECK(bench.processes().empty());
  return finished;
}

// Lines are broken where they fit, which depends on the length of paths.
std::string in_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n';
    if (!blank || line.empty() || line.back() != ' ') line += blank ? ' ' : c;
  }
  return line;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos || in_one_line(text).find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("engines --verify prints a row per rule and passes an engine that keeps them") {
  const Bench bench;
  const Finished finished = verify(bench, {"null"});
  INFO(finished.out, finished.err);
  CHECK(finished.code == 0);
  CHECK(finished.err == "");
  CHECK(has(finished.out, "submit.once           pass"));
  CHECK(has(finished.out, "data.odd              not applicable  it keeps no data"));
  CHECK(has(finished.out, " rules: "));
}

TEST_CASE("engines --verify fails an engine that breaks a rule, and its JUnit report says how") {
  const Bench bench;
  const std::string out = bench.path("out"), junit = bench.path("more.xml");
  const Finished finished = verify(bench, {kBroken, "--set", "fault=short_hidden", "--rule", "error.short", "--rule",
                                           "error.codes", "--out", out, "--junit", junit});
  INFO(finished.out, finished.err);
  CHECK(finished.code == 1);
  CHECK(has(finished.out, "error.short           VIOLATION       a read of 4096 bytes at offset 8192"));
  CHECK(has(finished.out, "rule: fewer bytes than asked are reported as what they are"));
  CHECK(has(finished.out, "2 rules: 1 pass, 1 VIOLATION"));
  for (const std::string& file : {out + "/junit.xml", junit}) {
    CAPTURE(file);
    pugi::xml_document document;
    REQUIRE(document.load_file(file.c_str()));
    const pugi::xml_node suite = document.child("testsuites").child("testsuite");
    CHECK(suite.attribute("tests").as_int() == 2);
    CHECK(suite.attribute("failures").as_int() == 1);
    const pugi::xml_node failure = suite.find_child_by_attribute("testcase", "name", "error.short").child("failure");
    CHECK(has(failure.attribute("message").value(), "expected 1808 bytes"));
    CHECK(has(failure.text().get(), "rule: fewer bytes than asked"));
    if (fs::exists("/usr/bin/xmllint")) {
      const std::string schema =
          "xmllint --noout --schema " DISKPROOF_SOURCE_DIR "/schemas/junit.xsd " + file + " 2>&1";
      CHECK(std::system((schema + " >/dev/null").c_str()) == 0);
    } else {
      MESSAGE("xmllint is not there: the report was not held against its schema");
    }
  }
}

TEST_CASE("engines --verify names the rule and the call of an engine that crashes or hangs, and goes on") {
  const Bench bench;
  const Finished finished = verify(bench, {kBroken, "--set", "fault=close_crashes", "--rule", "submit.starts", "--rule",
                                           "error.codes", "--rule", "engine.create"});
  INFO(finished.out, finished.err);
  CHECK(finished.code == 1);
  CHECK(has(finished.out,
            "submit.starts         VIOLATION       its process was ended by signal 6 (Aborted) in or after "
            "queue_close"));
  CHECK(has(finished.out, "engine.create         pass"));
  CHECK(has(finished.out, "3 rules: 1 pass, 2 VIOLATION"));
}

TEST_CASE("an engine whose manifest points nowhere breaks the contract, and nothing else") {
  const Bench bench;
  const Finished verified = verify(bench, {DISKPROOF_NOWHERE_LIBRARY, "--set", "chunk=1"});
  INFO(verified.out, verified.err);
  CHECK(verified.code == 1);
  CHECK(has(verified.out, "engine.handshake      VIOLATION       its process was ended by signal 11"));
  const std::string folder = fs::path(DISKPROOF_NOWHERE_LIBRARY).parent_path();
  const std::string crashed = "the engine crashed while asked for its manifest (signal 11)";
  const Finished list = bench.diskproof({"engines", "--engine-path", folder});
  CHECK(list.code == 0);
  CHECK(has(list.out, crashed));
  CHECK(has(list.out, "pread and pwrite"));
  const Finished pages = bench.diskproof({"engines", "--markdown", "--engine-path", folder});
  CHECK(pages.code == 2);
  CHECK(has(pages.err, crashed));
  CHECK(has(pages.out, "## sync"));
  const Finished run = bench.run(
      "diskproof: 1\nname: j\ndisks: {v: {virtual: {size: 1MiB}}}\nphases:\n  - {name: load, disk: v, engine: "
      "[nowhere, 'null'], duration: 10ms, thresholds: [total.operations >= 1]}\n",
      {"--engine-path", folder});
  INFO(run.out, run.err);
  CHECK(run.code == 0);
  const Finished alone = bench.run(
      "diskproof: 1\nname: j\ndisks: {v: {virtual: {size: 1MiB}}}\nphases:\n  - {name: load, disk: v, engine: nowhere, "
      "duration: 10ms, thresholds: [total.operations >= 1]}\n",
      {"--engine-path", folder});
  INFO(alone.out, alone.err);
  CHECK(alone.code == 2);
  CHECK(has(alone.out, "engine crashed while asked for its manifest (signal 11)"));
}

TEST_CASE("a process that an engine leaves behind ends with the run, whatever session it has moved to") {
  const Bench bench;
  const Finished verified = verify(bench, {kBroken, "--set", "fault=process_left", "--rule", "life.processes"});
  INFO(verified.out, verified.err);
  CHECK(verified.code == 1);
  CHECK(has(verified.out, "life.processes        VIOLATION"));
  const Finished run = bench.run(
      "diskproof: 1\nname: j\ndisks: {d: {file: f.dat, fill: true}}\nphases:\n  - {name: load, disk: d, engine: "
      "{name: broken, fault: process_left}, size: 1MiB, layout: none, operations: write, direct: false, "
      "operations_count: 10, findings: {on_tmpfs: warn}, thresholds: [write.operations >= 10]}\n",
      {"--engine-path", DISKPROOF_BROKEN_FOLDER "/by_option"});
  INFO(run.out, run.err);
  CHECK(run.code == 0);
  CHECK(bench.processes().empty());
}

TEST_CASE("engines --verify: what cannot be verified has its exit code and its reason") {
  const Bench bench;
  const std::string loose = bench.path("loose"), library = loose + "/diskproof_engine_broken.so";
  fs::create_directory(loose);
  fs::copy_file(kBroken, library);
  fs::permissions(loose, fs::perms::all);
  std::ofstream(bench.path("diskproof_engine_text.so")) << "no engine";
  REQUIRE(::mkfifo(bench.path("diskproof_engine_pipe.so").c_str(), 0600) == 0);
  struct Row {
    std::vector<std::string> arguments;
    int code;
    const char* words;
  };
  const Row rows[] = {
      {{}, 3, "say which engine"},
      {{"smi"}, 2, "did you mean sim?"},
      {{"./nowhere/diskproof_engine_x.so"}, 2, "there is no such file"},
      {{loose}, 2, "is a folder; give the library in it"},
      {{bench.path("diskproof_engine_pipe.so")}, 2, "is no regular file, so it is no engine"},
      {{DISKPROOF_BINARY}, 2, "is no engine: the file of one is named diskproof_engine_<name>.so"},
      {{"null", "--engine-path", library}, 2, "is no folder; give the folder that the library is in"},
      {{"sim", "--set", "spread=5us"}, 3, "spread needs distribution: uniform"},
      {{bench.path("diskproof_engine_text.so")}, 2, "cannot be loaded"},
      {{library}, 4, "is writable by everybody"},
      {{"null", "--rule", "submit.onse"}, 3, "did you mean submit.once?"},
      {{kBroken, "--set", "level=11"}, 3, "11 is not between 1 and 10"},
      {{kBroken, "--set", "levle=1"}, 3, "did you mean level?"},
      {{"null", "--out", kBroken}, 2, "cannot create the report folder"},
  };
  for (const Row& row : rows) {
    CAPTURE(joined(row.arguments));
    const Finished finished = verify(bench, row.arguments);
    INFO(finished.out, finished.err);
    CHECK(finished.code == row.code);
    CHECK(has(finished.out + finished.err, row.words));
  }
  const Finished lonely = bench.diskproof({"engines", "null", "--rule", "submit.once"});
  CHECK(lonely.code == 3);
  CHECK(has(lonely.err, "--verify"));
}

TEST_CASE("run: an engine that hangs in queue_close is named, and ended after io_timeout") {
  const Bench bench;
  const Finished run = bench.run(
      "diskproof: 1\nname: hanging\ndisks: {d: {file: target.dat, fill: true}}\nphases:\n"
      "  - {name: load, disk: d, engine: {name: broken, fault: close_hangs}, size: 1MiB, "
      "layout: none, operations: write, direct: false, operations_count: 10, "
      "io_timeout: 1s, findings: {on_tmpfs: warn}, thresholds: [write.operations >= 10]}\n",
      {"--engine-path", DISKPROOF_BROKEN_FOLDER "/by_option"});
  INFO(run.out, run.err);
  CHECK(run.code == 2);
  CHECK(has(run.out, "hangs in queue_close"));
  CHECK(bench.processes().empty());
}

TEST_CASE("engines --verify that was killed leaves a folder, which the next one or cleanup removes") {
  const Bench bench;
  const std::string scratch = bench.path("scratch");
  fs::create_directory(scratch);
  const auto kill_one = [&] {
    Program program({.arguments = {DISKPROOF_BINARY, "engines", "--verify", kBroken, "--set", "fault=reap_hangs"},
                     .environment = {{"TMPDIR", scratch}},
                     .folder = bench.path("work"),
                     .out = bench.path("started.out"),
                     .err = bench.path("started.err")});
    REQUIRE(bench.wait_for(program, "engine.options", kPatience));  // the next rule hangs
    program.signal(SIGKILL);
    CHECK(bench.finish(program).code != 0);
    REQUIRE_FALSE(fs::is_empty(scratch));
  };
  kill_one();
  CHECK(bench.diskproof({"engines", "--verify", "null", "--scratch", scratch}).code == 0);
  CHECK(fs::is_empty(scratch));
  kill_one();
  const Launch cleanup{.arguments = {DISKPROOF_BINARY, "cleanup"},
                       .environment = {{"TMPDIR", scratch}, {"XDG_STATE_HOME", bench.path("state")}},
                       .folder = bench.path("work"),
                       .out = bench.path("cleanup.out"),
                       .err = bench.path("cleanup.err")};
  Program program(cleanup);
  CHECK(bench.finish(program).code == 0);
  CHECK(fs::is_empty(scratch));
}

TEST_CASE("engines --verify: an interrupt ends it with 130, and the rules that were not run are said") {
  const Bench bench;
  const std::string scratch = bench.path("scratch");
  fs::create_directory(scratch);
  Program program({.arguments = {DISKPROOF_BINARY, "engines", "--verify", kBroken, "--set", "fault=reap_hangs",
                                 "--scratch", scratch},
                   .environment = {},
                   .folder = bench.path("work"),
                   .out = bench.path("started.out"),
                   .err = bench.path("started.err")});
  REQUIRE(bench.wait_for(program, "engine.options", kPatience));  // the next rule hangs
  program.signal(SIGINT);
  const Finished finished = bench.finish(program);
  INFO(finished.out, finished.err);
  CHECK(finished.code == 130);
  CHECK(has(finished.out, "open.itself           not run         interrupted"));
  CHECK(has(finished.out, "names.errors          not run         interrupted"));
  CHECK(fs::is_empty(scratch));
}

}  // namespace diskproof::testing
