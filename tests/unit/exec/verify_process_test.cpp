// Writing and checking through real children, on a simulated disk that does wrong as it is told: each fault is found,
// in its class, and no other.
#include "integrity/manifest.hpp"
#include "verify_bed.hpp"

using namespace diskproof;
using namespace diskproof::testing;

TEST_CASE("verify: what was written is there - each byte once") {
  Bed bed;
  bed.writer().stop.value = 100;
  const VerifyTotals totals = bed.written_and_checked();
  CHECK(totals.expected == 100 * kBlock);
  CHECK(totals.bytes == 100 * kBlock);
  CHECK(totals.operations > 0);
  check_faults(totals, {});
}

TEST_CASE("verify: several threads - sizes - overlaps and trims on a sound disk have no fault") {
  Bed bed;
  bed.writer().threads = 3;
  bed.writer().shared = true;
  bed.writer().queue_depth = 8;
  bed.writer().block_size = 64 * kBlock;
  bed.writer().block_sizes = {{512, 30}, {kBlock, 40}, {64 * kBlock, 30}};
  bed.writer().verify.granule = 512;
  bed.writer().operations = {.read = 20, .write = 70, .trim = 10};
  bed.writer().stop.value = 3000;
  bed.writer().fsync.every = 50;
  bed.writer().verify.during = 25;
  bed.checker().threads = 2;
  const VerifyTotals written = bed.totals(0);
  CHECK(written.operations > 100);
  CHECK(written.bytes == written.expected);
  CHECK(written.faults.empty());
  CHECK(written.wall > 0);
  CHECK(written.busy > 0);
  const VerifyTotals totals = bed.totals(1);
  CHECK(totals.expected > 0);
  check_faults(totals, {});
}

TEST_CASE("verify: reading back while writing does not take from what is written") {
  Bed bed;
  bed.writer().verify.during = 50;
  const PhaseResult result = bed.run(0);
  REQUIRE(result.data != nullptr);
  CHECK(result.data->directions[static_cast<std::size_t>(Direction::write)].operations == 256);
  CHECK(result.data->verify->operations > 100);
  check_faults(bed.totals(1), {});
}

TEST_CASE("verify: a second run of the writer goes on with the map") {
  Bed bed;
  bed.totals(0);
  bed.writer().seed = 99;
  const VerifyTotals totals = bed.written_and_checked();
  CHECK(totals.expected == kSize);
  check_faults(totals, {});
  CHECK(read_manifest_facts(bed.writer().verify.manifest).last_generation == 512);
}

TEST_CASE("verify: a flipped bit is corrupt") {
  Bed bed({{"fault", "bit_flip"}, {"fault_at", "77"}});
  const VerifyTotals totals = bed.written_and_checked();
  check_faults(totals, {{FaultClass::corrupt, kBlock}});
  CHECK(totals.faults[0].target == "d");
  CHECK(totals.faults[0].expected == 77);
}

TEST_CASE("verify: half a write is torn - over nothing and over what was there") {
  Bed fresh({{"fault", "torn"}, {"fault_at", "77"}});
  check_faults(fresh.written_and_checked(), {{FaultClass::torn, kBlock}});
  Bed old({{"fault", "torn"}, {"fault_at", "300"}});
  old.writer().stop.value = 512;
  check_faults(old.written_and_checked(), {{FaultClass::torn, kBlock}});
}

TEST_CASE("verify: half of a write of many granules is torn") {
  Bed bed({{"fault", "torn"}, {"fault_at", "3"}});
  bed.writer().block_size = 16 * kBlock;
  bed.writer().stop.value = 16;
  check_faults(bed.written_and_checked(), {{FaultClass::torn, 8 * kBlock}});
}

TEST_CASE("verify: a write to the wrong place is told by whose it is - and its own place misses it") {
  Bed bed({{"fault", "misplaced"}, {"fault_at", "512"}});
  bed.writer().stop.value = 512;
  const VerifyTotals totals = bed.written_and_checked();
  check_faults(totals, {{FaultClass::misplaced, kBlock}, {FaultClass::stale, kBlock}});
  const auto& fault = totals.faults[0].kind == FaultClass::misplaced ? totals.faults[0] : totals.faults[1];
  const auto& own = totals.faults[0].kind == FaultClass::misplaced ? totals.faults[1] : totals.faults[0];
  CHECK(fault.text.find("holds file 0 offset " + std::to_string(own.offset) + " generation 512") != std::string::npos);
}

TEST_CASE("verify: a write that never came is missing - over an older one stale - after a flush lost") {
  const Options lost{{"fault", "lost"}, {"fault_at", "77"}};
  Bed missing(lost);
  check_faults(missing.written_and_checked(), {{FaultClass::missing, kBlock}});

  Bed stale({{"fault", "lost"}, {"fault_at", "300"}});
  stale.writer().stop.value = 512;
  check_faults(stale.written_and_checked(), {{FaultClass::stale, kBlock}});

  Bed flushed(lost);
  flushed.writer().fsync.end = true;
  check_faults(flushed.written_and_checked(), {{FaultClass::lost, kBlock}});

  Bed durable(lost);
  durable.writer().sync = Durability::dsync;
  check_faults(durable.written_and_checked(), {{FaultClass::lost, kBlock}});
}

TEST_CASE("verify: a volatile cache that loses what was not flushed is missing - one that lies about flushes lost") {
  Bed honest(Options{{"fault", "lost_unless_flushed"}});
  honest.writer().fsync.every = 200;
  const VerifyTotals totals = honest.written_and_checked();
  CHECK(totals.of(FaultClass::missing) > 0);
  check_faults(totals, {{FaultClass::missing, totals.of(FaultClass::missing)}});

  Bed safe(Options{{"fault", "lost_unless_flushed"}});
  safe.writer().fsync.end = true;
  check_faults(safe.written_and_checked(), {});

  Bed liar({{"fault", "lost_though_flushed"}, {"fault_at", "9"}});
  liar.writer().fsync.end = true;
  check_faults(liar.written_and_checked(), {{FaultClass::lost, kBlock}});
}

TEST_CASE("verify: a read that gives what was there before is stale") {
  Bed bed({{"fault", "stale"}, {"fault_at", "3"}});
  bed.writer().stop.value = 512;
  bed.checker().block_size = kBlock;
  check_faults(bed.written_and_checked(), {{FaultClass::stale, kBlock}});
}

TEST_CASE("verify: what cannot be read is unreadable and the rest is checked") {
  Bed bed;
  bed.totals(0);
  bed.checker().engine.options["error_offset"] = std::to_string(5 * kBlock);
  bed.checker().engine.options["error_length"] = std::to_string(2 * kBlock);
  const VerifyTotals totals = bed.totals(1);
  check_faults(totals, {{FaultClass::unreadable, 2 * kBlock}});
  CHECK(totals.faults[0].offset == 5 * kBlock);
}

TEST_CASE("verify: failed writes may be there or not") {
  Bed bed({{"error_every", "10"}, {"error_on", "write"}});
  bed.writer().max_errors = 1000;
  bed.writer().stop.value = 512;
  bed.totals(0);
  bed.checker().engine.options.erase("error_every");
  bed.checker().engine.options.erase("error_on");
  check_faults(bed.totals(1), {});
}

TEST_CASE("verify: a phase that wrote nothing cannot be checked") {
  Bed bed({{"error_every", "1"}, {"error_on", "write"}});
  bed.writer().max_errors = 1000;
  bed.totals(0);
  const PhaseResult result = bed.run(1);
  CHECK_FALSE(result.completed);
  CHECK(result.reason.find("nothing was acknowledged as written") != std::string::npos);
}

TEST_CASE("verify: a writer that is killed leaves a manifest and what it was acknowledged is there") {
  for (const char* at : {"1", "100", "777"}) {
    CAPTURE(std::string(at));
    Bed bed;
    bed.writer().engine.options["abort_at"] = at;
    bed.writer().stop.value = 2000;
    bed.writer().queue_depth = 16;
    const PhaseResult killed = bed.run(0);
    CHECK_FALSE(killed.completed);
    if (std::string(at) == "1") continue;
    const VerifyTotals totals = bed.totals(1);
    CHECK(totals.expected > 0);
    check_faults(totals, {});
  }
}
