// What phases do to each other's stamped data, in the order in which they run.
#include "plan/verify_order.hpp"

#include <doctest/doctest.h>

#include "job/job_loader.hpp"
#include "plan/outline.hpp"

namespace diskproof {
namespace {

constexpr const char* kWriter = "operations: write, verify: write, duration: 1s";
constexpr const char* kPlain = "operations: write, duration: 1s";
constexpr const char* kReader = "duration: 1s";

struct Walked {
  VerifyOrder order;
  std::string says;
};

Walked walk(const std::string& phases) {
  const LoadedJob loaded = load_job_text(
      "diskproof: 1\nname: t\ndisks: {d: {virtual: {size: 1MiB}, engine: sim}, e: {virtual: {size: 1MiB}, engine: "
      "sim}}\ndefaults: {disk: d}\nphases:\n" +
          phases,
      "t");
  for (const Diagnostic& one : loaded.diagnostics) CHECK(to_string(one) == "");
  const Plan outline = outline_plan(loaded.job, {.out_dir = {}, .working_dir = {}, .run_id = {}, .fresh_seed = {}});
  Diagnostics diagnostics;
  Walked walked{verify_order(loaded.job, outline.phases, diagnostics), {}};
  sort_by_place(diagnostics);
  for (const Diagnostic& one : diagnostics) walked.says += to_string(one) + "\n";
  return walked;
}

std::string phase(const std::string& name, const std::string& keys) {
  return "  - {name: " + name + ", " + keys + "}\n";
}

}  // namespace

TEST_CASE("verify order: phases that stamp go on with one map until something else writes") {
  const Walked walked = walk(phase("a", kWriter) + phase("b", kReader) + phase("c", kWriter) +
                             phase("check", "verify: {of: c}") + phase("plain", kPlain) + phase("d", kWriter) +
                             phase("again", "verify: {of: d}") + phase("other", std::string(kWriter) + ", disk: e"));
  CHECK(walked.says == "");
  CHECK(walked.order.maps.at(0) == walked.order.maps.at(2));
  CHECK(walked.order.maps.at(5) != walked.order.maps.at(0));
  CHECK(walked.order.maps.at(7) != walked.order.maps.at(5));
  CHECK(walked.order.writers.at(3) == 2);
  CHECK(walked.order.writers.at(6) == 5);
}

TEST_CASE("verify order: a check of a matrix reads what its last cell left") {
  const Walked walked = walk(phase("w", std::string(kWriter) + ", matrix: {block_size: [4KiB, 8KiB]}") +
                             phase("check", "verify: {of: w}"));
  CHECK(walked.says == "");
  CHECK(walked.order.writers.at(2) == 1);
}

TEST_CASE("verify order: phases that take turns check each round") {
  const Walked walked = walk("  - {name: g, rounds: {count: 3}, phases: [{name: w, " + std::string(kWriter) +
                             "}, {name: check, verify: {of: w}}]}\n");
  CHECK(walked.says == "");
  CHECK(walked.order.writers.at(1) == 0);
}

TEST_CASE("verify order: each disturbance has a diagnostic of its own") {
  struct Row {
    std::string phases, says;
  };
  const std::string writer = phase("w", kWriter), plain = phase("plain", kPlain), check = phase("c", "verify: {of: w}");
  for (
      const Row& row : std::vector<Row>{
          {writer + plain,
           "t:6:34 error: phases[0].verify: phase 'plain' writes to disk d after it without stamps, before anything "
           "has checked it; check it before that phase, or give that phase verify: write\n"},
          {writer + check + plain + phase("late", "verify: {of: w}"),
           "t:9:27 error: phases[3].verify.of: phase 'plain' has written to disk d since, without stamps; check before "
           "that phase, or give that phase verify: write\n"},
          {writer + phase("x", kWriter) + check,
           "t:8:24 error: phases[2].verify.of: phase 'x' has stamped more on disk d since; write of: x, which checks "
           "what both wrote, or check before that phase\n"},
          {writer + phase("t", "operations: trim, duration: 1s"),
           "t:6:34 error: phases[0].verify: phase 't' writes to disk d after it without stamps, before anything has "
           "checked it; check it before that phase, or give that phase verify: write\n"},
          {writer + phase("r", "duration: 1s, layout: written"),
           "t:6:34 error: phases[0].verify: phase 'layout/d' writes to disk d after it without stamps, before anything "
           "has checked it; check it before that phase, or give that phase verify: write\n"},
          {writer + phase("r", "duration: 1s, precondition: {random: 1}"),
           "t:6:34 error: phases[0].verify: phase 'r/precondition/random' writes to disk d after it without stamps, "
           "before anything has checked it; check it before that phase, or give that phase verify: write\n"},
          {writer + "  - {name: g, rounds: {count: 2}, phases: [{name: c, verify: {of: w}}, {name: p, " + kPlain +
               "}]}\n",
           "t:7:63 error: phases[1].phases[0].verify.of: phase 'p' has written to disk d since, without stamps; check "
           "before that phase, or give that phase verify: write\n"},
          {writer + "  - {name: g, parallel: [{name: c, verify: {of: w}}, {name: p, " + kPlain + "}]}\n",
           "t:7:36 error: phases[1].parallel[0].verify: phase 'p' writes to disk d at the same time; run them one "
           "after the other\n"},
      }) {
    CAPTURE(row.phases);
    const std::string found = walk(row.phases).says;
    CHECK(found == row.says);
  }
}

TEST_CASE("verify order: writers of one group on one disk are told both") {
  const Walked walked = walk("  - {name: g, parallel: [{name: w, " + std::string(kWriter) + "}, {name: p, " +
                             std::string(kWriter) + "}]}\n");
  CHECK(walked.says.find("phase 'p' writes to disk d at the same time") != std::string::npos);
  CHECK(walked.says.find("phase 'w' writes to disk d at the same time") != std::string::npos);
}

}  // namespace diskproof
