// What a loaded job holds: values, inheritance, and the place of every key.
#include "job/job_loader.hpp"

#include <doctest/doctest.h>

#include "unit/job/job_text.hpp"

using namespace diskproof;
using namespace std::chrono_literals;

namespace {

LoadedJob corpus(const char* name) {
  return load_job(std::string(DISKPROOF_SOURCE_DIR "/tests/unit/job/corpus/") + name, {{}, "results"});
}

constexpr std::string_view kHead =
    "diskproof: 1\nname: x\ndisks:\n  d: {directory: /srv, limits: {read.iops: 1, write.iops: 2, link: {total.iops: "
    "3}}, engine: {name: sim, a: 1}}\n";

Phase only_phase(const std::string& rest) {
  const LoadedJob loaded = load_job_text(std::string(kHead) + rest, "t");
  REQUIRE(test::joined(loaded.diagnostics).empty());
  return loaded.job.phases.at(0);
}

}  // namespace

TEST_CASE("job loader: every key of this version arrives in the job") {
  const LoadedJob loaded = corpus("valid_full.yaml");
  REQUIRE(test::joined(loaded.diagnostics).empty());
  const Job& job = loaded.job;
  CHECK(job.name == "everything at once");
  CHECK(job.description == "Every key of this version.");
  CHECK(job.labels == std::map<std::string, std::string>{{"site", "berlin"}, {"build", "1234"}, {"nightly", "true"}});
  REQUIRE(job.disks.size() == 3);
  const Disk& file = job.disks[0];
  CHECK(file.name == "file");
  CHECK(file.kind == DiskKind::file);
  CHECK(file.path == "results/disk.bin");
  CHECK(file.fill);
  CHECK(file.overwrite);
  CHECK_FALSE(file.keep);
  REQUIRE(file.engines.size() == 1);
  CHECK(file.engines[0].options == std::map<std::string, std::string>{{"sqpoll", "true"}, {"entries", "64"}});
  REQUIRE(file.limits.size() == 2);
  CHECK(file.limits[0].name.empty());
  CHECK(file.limits[0].values == std::map<std::string, double>{{"read.iops", 30000}, {"total.bandwidth", 5e8}});
  CHECK(file.limits[1].name == "instance");
  CHECK(file.limits[1].values == std::map<std::string, double>{{"total.iops", 15000}, {"write.bandwidth", 1.25e8}});
  CHECK(job.disks[1].kind == DiskKind::directory);
  CHECK(job.disks[1].subdirectory == "a/b");
  CHECK(job.disks[1].keep);
  CHECK(job.disks[2].capacity == 4ull << 40);

  REQUIRE(job.phases.size() == 4);
  const Phase& read = job.phases[0];
  CHECK(read.name == "random read");
  CHECK(read.size->bytes == 64ull << 20);
  CHECK(read.region.from.percent == 10);
  CHECK(read.region.size->bytes == 32ull << 20);
  CHECK(read.layout == Layout::written);
  CHECK(read.access == Access::random);
  CHECK(read.operations.read == 100);
  CHECK(read.block_size == 4096);
  CHECK(read.queue_depth == 16);
  CHECK(read.threads == 2);
  CHECK(read.batch == 0);
  CHECK(read.engines[0].name == "io_uring");
  CHECK(read.seed == 18446744073709551615ull);
  CHECK(read.warmup == 500ms);
  CHECK(read.sample == 100ms);
  CHECK(read.stop.kind == StopRule::Kind::duration);
  CHECK(read.stop.value == 10'000'000'000);
  CHECK(read.timeout == 2min);
  CHECK(read.io_timeout == 30s);
  CHECK(read.max_errors == 5);
  REQUIRE(read.thresholds.size() == 3);
  CHECK(read.thresholds[0].check == "read.iops >= 95% of limit");
  CHECK_FALSE(read.thresholds[0].warn);
  CHECK(read.thresholds[1].warn);
  CHECK_FALSE(read.thresholds[2].warn);
  CHECK(read.findings == std::map<std::string, Severity>{{"capped", Severity::ignore},
                                                         {"over_limit", Severity::error},
                                                         {"depth_not_reached", Severity::warn}});
  CHECK(job.phases[1].stop.kind == StopRule::Kind::bytes);
  CHECK(job.phases[1].operations.write == 30);
  CHECK_FALSE(job.phases[1].direct);
  CHECK_FALSE(read.rate);
  REQUIRE(job.phases[1].rate);
  CHECK_FALSE(job.phases[1].rate->iops);
  CHECK(job.phases[1].rate->bandwidth->number == 50);
  CHECK(job.phases[1].rate->bandwidth->of_limit);
  REQUIRE(job.phases[2].rate);
  CHECK(job.phases[2].rate->iops->number == 250.5);
  CHECK_FALSE(job.phases[2].rate->iops->of_limit);
  CHECK(job.phases[2].stop.kind == StopRule::Kind::operations);
  CHECK_FALSE(job.phases[2].size.has_value());
  CHECK(read.block_sizes.empty());
  CHECK_FALSE(read.shared);
  CHECK(job.phases[2].access == Access::zipf);
  CHECK(job.phases[2].skew == 1.2);
  CHECK(job.phases[2].shared);
  CHECK(job.phases[2].block_size == 32768);
  REQUIRE(job.phases[2].block_sizes.size() == 2);
  CHECK(job.phases[2].block_sizes[0].size == 4096);
  CHECK(job.phases[2].block_sizes[0].percent == 50);
  CHECK(job.phases[1].rate->arrival == Arrival::constant);
  CHECK(job.phases[2].rate->arrival == Arrival::poisson);
  CHECK(job.phases[1].sync == Durability::dsync);
  CHECK(job.phases[1].fsync.every == 32);
  CHECK(job.phases[1].fsync.end);
  CHECK_FALSE(job.phases[1].fsync.data_only);
  CHECK(job.phases[1].data.compressible == 50);
  CHECK(job.phases[1].data.dedupe == 30);
  CHECK(read.sync == Durability::none);
  CHECK_FALSE(read.fsync.wanted());
  CHECK(job.phases[3].operations.read == 60);
  CHECK(job.phases[3].operations.trim == 10);
  CHECK(job.phases[3].think_time == 1ms);
  CHECK(job.phases[3].files == 2);
  CHECK_FALSE(read.files.has_value());
}

TEST_CASE("inheritance: defaults, then the disk's engine, then the phase") {
  const std::string tail = "phases:\n  - {name: p, disk: d, size: 1MiB, threads: 3";
  const Phase phase =
      only_phase("defaults: {threads: 2, queue_depth: 4, duration: 5s, engine: sync, warmup: 1s}\n" + tail + "}\n");
  CHECK(phase.threads == 3);
  CHECK(phase.queue_depth == 4);
  CHECK(phase.warmup == 1s);
  CHECK(phase.engines.at(0).name == "sim");
  const Phase own = only_phase("defaults: {duration: 5s}\n" + tail + ", engine: [libaio, sync]}\n");
  CHECK(own.engines.size() == 2);
}

TEST_CASE("inheritance: options merge for the same engine and go for another") {
  const std::string tail = "phases:\n  - {name: p, disk: d, size: 1MiB, duration: 1s";
  CHECK(only_phase(tail + ", engine: {name: sim, b: 2}}\n").engines.at(0).options ==
        std::map<std::string, std::string>{{"a", "1"}, {"b", "2"}});
  CHECK(only_phase(tail + ", engine: {name: null_engine, b: 2}}\n").engines.at(0).options ==
        std::map<std::string, std::string>{{"b", "2"}});
  CHECK(only_phase(tail + ", engine: sim}\n").engines.at(0).options.empty());
}

TEST_CASE("inheritance: rates merge key by key") {
  const std::string tail = "phases:\n  - {name: p, disk: d, size: 1MiB, duration: 1s";
  CHECK(only_phase("defaults: {rate: {arrival: constant, iops: 5}}\n" + tail + ", rate: {iops: 7}}\n")
            .rate->iops->number == 7);
  CHECK(only_phase("defaults: {rate: {iops: 5}}\n" + tail + "}\n").rate->iops->number == 5);
}

TEST_CASE("inheritance: the phase's stop rule replaces the inherited one") {
  const Phase phase =
      only_phase("defaults: {duration: 5s}\nphases:\n  - {name: p, disk: d, size: 1MiB, bytes: 8MiB}\n");
  CHECK(phase.stop.kind == StopRule::Kind::bytes);
  CHECK(phase.stop.value == 8u << 20);
}

TEST_CASE("inheritance: maps merge, lists and mixes replace") {
  const Phase phase = only_phase(
      "defaults: {duration: 1s, operations: {read: 70%, write: 30%}, thresholds: [a, b], region: {from: 10%}, "
      "findings: {capped: error, over_limit: ignore}, limits: {read.iops: 10, link: {read.iops: 5}}}\n"
      "phases:\n  - {name: p, disk: d, size: 1MiB, operations: {write: 100%}, thresholds: [c], region: {size: 64KiB}, "
      "findings: {capped: ignore}, limits: {write.iops: 20}}\n");
  CHECK(phase.operations.read == 0);
  CHECK(phase.operations.write == 100);
  REQUIRE(phase.thresholds.size() == 1);
  CHECK(phase.thresholds[0].check == "c");
  CHECK(phase.region.from.percent == 10);
  CHECK(phase.region.size->bytes == 65536);
  CHECK(phase.findings ==
        std::map<std::string, Severity>{{"capped", Severity::ignore}, {"over_limit", Severity::ignore}});
  REQUIRE(phase.limits.size() == 2);
  CHECK(phase.limits[0].values == std::map<std::string, double>{{"read.iops", 10}, {"write.iops", 20}});
  CHECK(phase.limits[1].name == "link");
  CHECK(phase.limits[1].values == std::map<std::string, double>{{"read.iops", 5}, {"total.iops", 3}});
}

TEST_CASE("inheritance: a fault in defaults is reported once, at its place") {
  const LoadedJob loaded = load_job_text(std::string(kHead) +
                                             "defaults: {duration: 1s, size: 4k, block_size: 3kB}\nphases:\n  - "
                                             "{name: p, disk: d}\n  - {name: q, disk: d}\n",
                                         "t");
  CHECK(test::joined(loaded.diagnostics) ==
        "t:5:32 error: defaults.size: '4k' is ambiguous; write 4kB (1000-based) or 4KiB (1024-based)\n"
        "t:5:36 error: phases[0].block_size: 3000 bytes cannot be used with direct I/O, which takes multiples of "
        "512B; write 2560B or 3072B, or direct: false\n"
        "t:5:36 error: phases[1].block_size: 3000 bytes cannot be used with direct I/O, which takes multiples of "
        "512B; write 2560B or 3072B, or direct: false\n");
}

TEST_CASE("source map: keys, list entries and inherited keys have their places") {
  const LoadedJob loaded = load_job_text(std::string(kHead) +
                                             "defaults: {duration: 1s}\nphases:\n  - name: p\n    disk: d\n    size: "
                                             "1MiB\n    thresholds:\n      - a\n      - b\n",
                                         "t");
  REQUIRE(test::joined(loaded.diagnostics).empty());
  const auto at = [&](std::string_view path) {
    const Location place = loaded.job.source.find(path);
    return std::to_string(place.line) + ":" + std::to_string(place.column);
  };
  CHECK(at("name") == "2:1");
  CHECK(at("disks.d.limits") == "4:24");
  CHECK(at("disks.d.limits.read.iops") == "4:33");
  CHECK(at("phases[0]") == "7:5");
  CHECK(at("phases[0].size") == "9:5");
  CHECK(at("phases[0].thresholds[1]") == "12:9");
  CHECK(at("phases[0].duration") == "5:12");
  CHECK(at("phases[0].engine") == "4:86");
  CHECK(at("phases[0].seed") == "7:5");
  CHECK(at("phases[7].seed") == "6:1");
  CHECK(at("nothing") == "0:0");
}

TEST_CASE("diagnostics: text with and without a place, path and hint") {
  Diagnostic one{Diagnostic::Level::error, "a.yaml", {3, 7}, "x.y", "is bad", "do better"};
  CHECK(to_string(one) == "a.yaml:3:7 error: x.y: is bad; do better");
  CHECK(has_errors({one}));
  one = {Diagnostic::Level::warning, "a.yaml", {}, "", "is odd", ""};
  CHECK(to_string(one) == "a.yaml: warning: is odd");
  CHECK_FALSE(has_errors({one}));
}

TEST_CASE("job loader: a small file cannot inherit itself large") {
  std::string text = std::string(kHead) + "defaults:\n  duration: 1s\n  thresholds:\n";
  for (int i = 0; i < 60; ++i) text += "    - " + std::string(10'000, 'x') + "\n";
  text += "phases:\n";
  for (int i = 0; i < 900; ++i) text += "  - {name: p" + std::to_string(i) + ", disk: d}\n";
  const LoadedJob loaded = load_job_text(text, "t");
  CHECK(test::joined(loaded.diagnostics).find("the phases inherit too much") != std::string::npos);
  CHECK(loaded.job.phases.empty());
}

TEST_CASE("job loader: a flood of faults is cut") {
  std::string text(kHead);
  for (int i = 0; i < 3000; ++i) text += "unknown_key_" + std::to_string(i) + ": 1\n";
  const LoadedJob loaded = load_job_text(text, "t");
  CHECK(loaded.diagnostics.size() == 101);
  CHECK(test::joined(loaded.diagnostics).find("more faults are not shown") != std::string::npos);
}
