// The line that says what a verification found.
#include "report/verification.hpp"

#include <doctest/doctest.h>

namespace diskproof {

TEST_CASE("verification: the line says how much is not proved, never that all is well when it is not") {
  constexpr std::uint64_t kKiB = 1024, kMiB = 1024 * kKiB;
  VerifyTotals totals;
  totals.bytes = totals.expected = 64 * kMiB;
  CHECK(verification_text(totals) == "64 MiB of 64 MiB are as they were written");
  totals.bytes -= 4 * kKiB;
  totals.faulty[static_cast<std::size_t>(FaultClass::corrupt)] = 4 * kKiB;
  CHECK(verification_text(totals) == "4 KiB of 64 MiB are not proved to be as they were written; corrupt: 4 KiB");
}

}  // namespace diskproof
