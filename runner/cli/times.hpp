// Points in time as reports and names write them: UTC, to the second.
#pragma once

#include <cstdint>
#include <string>

namespace diskproof {

std::int64_t now_seconds();                      // since 1970
std::string iso_time(std::int64_t seconds);      // "2027-03-09T18:44:05Z"
std::string compact_time(std::int64_t seconds);  // "20270309T184405Z", for file names

}  // namespace diskproof
