// How much of a disk's link a phase has used: `limits: {link: {…}}`, per direction.
#pragma once

#include <string>
#include <vector>

#include "report/run_report.hpp"

namespace diskproof {

struct LinkShare {
  std::string phase, direction;  // "read", "write", "total"
  double bandwidth = 0;          // bytes/s of payload; headers come on top
  double limit = 0;              // bytes/s
};

// Of phases that were measured, in their order. Empty where no disk has a group of limits named link.
std::vector<LinkShare> link_shares(const RunReport& report);

// "PHASE: read 61.2 % of the link (765 MB/s of 1.25 GB/s)"
std::string link_text(const LinkShare& share);

}  // namespace diskproof
