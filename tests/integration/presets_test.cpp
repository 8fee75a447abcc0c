// The job files that come with the runner: each is listed, passes check and runs, sized down, on a file; the file is
// gone afterwards.
#include <algorithm>
#include <cctype>
#include <doctest/doctest.h>
#include <filesystem>
#include <map>

#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

namespace fs = std::filesystem;

using Sets = std::vector<std::string>;

// Each number as "#", each run of spaces as one: "SEQ 1MiB (Q= #, T= #): # MB/s". A number in a word stays.
std::string shape_of(const std::string& text) {
  std::string shape;
  for (std::size_t i = 0; i < text.size();) {
    const bool starts = shape.empty() || shape.back() == ' ' || shape.back() == '\n';
    if (text[i] == ' ') {
      if (!starts) shape += ' ';
      ++i;
      continue;
    }
    const std::size_t end = std::min(text.find_first_not_of("0123456789.", i), text.size());
    if (starts && end > i && (end == text.size() || !std::isalpha(static_cast<unsigned char>(text[end])))) {
      shape += '#';
      i = end;
    } else {
      shape += text[i++];
    }
  }
  return shape;
}

const Sets kCdm{"size=16MiB", "measure=100ms", "interval=0s", "runs=2"};
const Sets kTimed{"size=16MiB", "measure=100ms", "warmup=0s"};

Sets with(Sets sets, const Sets& more) {
  sets.insert(sets.end(), more.begin(), more.end());
  return sets;
}

// How each is sized down; as the comment at its head says.
const std::map<std::string, Sets> kPresets{
    {"boot-storm", with(kTimed, {"rate=500"})},
    {"cdm-peak", kCdm},
    {"cdm-realworld", kCdm},
    {"cdm3", kCdm},
    {"cdm5", kCdm},
    {"cdm7-default", kCdm},
    {"cdm7-q32t16", kCdm},
    {"cdm8-default", kCdm},
    {"cdm8-nvme", kCdm},
    {"database-oltp", with(kTimed, {"log_size=4MiB"})},
    {"k8s-volume", kTimed},
    {"kdiskmark", kCdm},
    {"latency-qd1", kTimed},
    {"nas-compare", {"size=1MiB", "measure=100ms", "warmup=0s", "rounds=1", "least=0.1%"}},
    {"nas-matrix", {"size=1MiB", "measure=100ms", "warmup=0s"}},
    {"video-ingest", with(kTimed, {"cut_size=16MiB", "rate=80MB/s"})},
};

Finished run_preset(const Bench& bench, const std::string& name) {
  std::vector<std::string> arguments{"run", name, "--out", bench.path("out"), "--set", "path=" + bench.path("work")};
  for (const std::string& set : kPresets.at(name)) {
    arguments.emplace_back("--set");
    arguments.push_back(set);
  }
  return bench.diskproof(arguments);
}

}  // namespace

TEST_CASE("presets lists each preset with one line, and shows the text of one") {
  const Bench bench;
  const Finished list = bench.diskproof({"presets"});
  CHECK(list.code == 0);
  std::vector<std::string> delivered;
  for (const auto& entry : fs::directory_iterator(DISKPROOF_SOURCE_DIR "/jobs/presets")) {
    delivered.push_back(entry.path().stem().string());
    CAPTURE(delivered.back());
    CHECK(kPresets.contains(delivered.back()));
    const auto line = list.out.find(delivered.back() + " ");
    REQUIRE(line != std::string::npos);
    const std::string text = list.out.substr(line, list.out.find('\n', line) - line);
    CHECK(text.size() > delivered.back().size() + 20);  // what it is
  }
  CHECK(delivered.size() == kPresets.size());
  const Finished one = bench.diskproof({"presets", "cdm8-default"});
  CHECK(one.code == 0);
  CHECK(one.out.find("Differs from the original") != std::string::npos);
  for (const std::string name : {"../examples/rounds", DISKPROOF_SOURCE_DIR "/jobs/examples/rounds.yaml"}) {
    const Finished path = bench.diskproof({"presets", name});
    CHECK(path.code == 3);
    CHECK(path.out == "");
    CHECK(path.err.find("there are boot-storm, ") != std::string::npos);
  }
  CHECK(bench.diskproof({"presets", "cdm8-defualt"}).err.find("did you mean cdm8-default?") != std::string::npos);
}

TEST_CASE("every preset runs sized down on a file and leaves nothing") {
  for (const auto& [name, sets] : kPresets) {
    CAPTURE(name);
    const Bench bench;
    const Finished run = run_preset(bench, name);
    INFO(run.out, run.err);
    CHECK(run.code == 0);
    CHECK(joined(bench.leftovers()) == "");
    const Result result(bench);
    for (const Json& phase : result.json().at("phases")) CHECK(phase.at("outcome") == "pass");
  }
}

TEST_CASE("cdm8-default prints what a CrystalDiskMark user knows, from the runs that scored") {
  const Bench bench;
  const Finished run = run_preset(bench, "cdm8-default");
  INFO(run.out, run.err);
  REQUIRE(run.code == 0);
  const Finished view = bench.diskproof({"report", bench.path("out"), "--format", "cdm"});
  INFO(view.out);
  const std::string rows =
      "SEQ 1MiB (Q= #, T= #): # MB/s [ # IOPS] < # us>\nSEQ 1MiB (Q= #, T= #): # MB/s [ # IOPS] < # us>\n"
      "RND 4KiB (Q= #, T= #): # MB/s [ # IOPS] < # us>\nRND 4KiB (Q= #, T= #): # MB/s [ # IOPS] < # us>\n";
  const std::string shape = shape_of(view.out);
  CAPTURE(shape);
  CHECK(shape.find("[Read]\n" + rows) != std::string::npos);

  // The score is the largest of the runs that count; everything else is of the same run.
  const Result result(bench);
  for (const Json& phase : result.json().at("phases")) {
    if (phase.at("kind") != "measure") continue;
    CAPTURE(phase.at("name").get<std::string>());
    const Json& runs = phase.at("runs");
    REQUIRE(runs.size() == 2);
    CHECK(runs.at(0).at("discarded") == true);
    const Json& scored = runs.at(phase.at("scored").get<std::size_t>()).at("metrics");
    for (const std::string metric : {"total.bandwidth", "total.iops", "total.latency.mean", "total.latency.p99"}) {
      CAPTURE(metric);
      CHECK(phase.at("metrics").at(metric) == scored.at(metric));
    }
  }
}

}  // namespace diskproof::testing
