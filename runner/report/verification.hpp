// What a check found, in words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "integrity/verify_totals.hpp"

namespace diskproof {

struct PhaseReport;

// The threshold that every check has, as the reports show it.
inline constexpr std::string_view kVerifiedCheck = "verify.bytes == verify.expected";

// "68 KiB of 64 MiB are not proved to be as they were written; corrupt: 4 KiB, torn: 64 KiB", or that all of it is
std::string verification_text(const VerifyTotals& totals);

// "corrupt: 4 KiB at byte 12288 of /data/t0.dat: …"
std::string describe(const VerifyFault& fault);

// One line per fault, `most` of them, and what is not listed; empty where nothing was read back, or all was well.
std::vector<std::string> fault_lines(const PhaseReport& phase, std::size_t most);

}  // namespace diskproof
