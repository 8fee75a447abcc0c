// A run as CrystalDiskMark users know results: sections of reads, writes and mixes, one row per block size and depth,
// in MB/s, IOPS and mean latency. What that view leaves out (median and spread of the runs) stands below.
#pragma once

#include <string>

namespace diskproof {

struct RunReport;

// Phases that moved nothing but trims or flushes, layouts and groups have no row. A phase that was not measured has a
// row that says so.
std::string to_cdm_text(const RunReport& report);

}  // namespace diskproof
