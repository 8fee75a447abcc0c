// What is on the way to a check and in it, through real children: flushes of others, short reads, manifests and maps
// that are not as they should be.
#include <fstream>

#include "metrics/books.hpp"
#include "verify_bed.hpp"

using namespace diskproof;
using namespace diskproof::testing;

TEST_CASE("verify: what one phase writes through makes nothing of another phase durable") {
  Bed bed;
  bed.writer().sync = Durability::dsync;
  bed.writer().stop.value = 40;
  bed.totals(0);
  bed.writer().sync = Durability::none;
  bed.writer().seed = 99;
  bed.writer().engine.options["fault"] = "lost";
  bed.writer().engine.options["fault_every"] = "1";
  const VerifyTotals totals = bed.written_and_checked();
  CHECK(totals.of(FaultClass::missing) > 0);
  CHECK(totals.of(FaultClass::stale) > 0);
  check_faults(totals, {{FaultClass::missing, totals.of(FaultClass::missing)},
                        {FaultClass::stale, totals.of(FaultClass::stale)}});
}

TEST_CASE("verify: a check of a disk that moves parts of what is asked is whole and its books balance") {
  Bed bed;
  bed.totals(0);
  bed.checker().engine.options["short_every"] = "3";
  bed.checker().block_size = 16 * kBlock;
  const PhaseResult result = bed.run(1);
  REQUIRE(result.data != nullptr);
  check_faults(*result.data->verify, {});
  CHECK(result.data->verify->bytes == kSize);
  const auto fault = check_books(*result.data, compute_metrics(*result.data, {}));
  CHECK((fault ? fault->text : "") == "");
}

TEST_CASE("verify: a manifest that is not there or damaged is said") {
  Bed bed;
  const PhaseResult missing = bed.run(1);
  CHECK_FALSE(missing.completed);
  CHECK(missing.reason.find("write.manifest") != std::string::npos);
  bed.totals(0);
  std::ofstream(bed.writer().verify.manifest, std::ios::app) << "x";
  const PhaseResult damaged = bed.run(1);
  CHECK_FALSE(damaged.completed);
  CHECK(damaged.reason.find("cut off") != std::string::npos);
}

TEST_CASE("verify: a map that would be too large refuses the phase") {
  Bed bed;
  bed.plan.disks[0].file_size = std::uint64_t{1} << 50;
  const PhaseResult result = bed.run(0);
  CHECK_FALSE(result.completed);
  CHECK(result.unavailable);
  CHECK(result.reason.find("take a smaller size or larger blocks") != std::string::npos);
}
