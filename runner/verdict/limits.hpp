// What `of limit` means: every limit of a disk holds at the same time, so the tightest decides, and which one that is
// depends on the mix and the block size of the load.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>

#include "job/job.hpp"
#include "metrics/names.hpp"
#include "metrics/phase_metrics.hpp"

namespace diskproof {

// How a load divides over read, write and trim.
struct LoadShape {
  struct Part {
    double share = 0;  // of the operations issued, 0…1
    double block = 0;  // mean bytes per operation; 0: unknown
  };
  std::array<Part, 3> parts{};  // by Direction
  double block = 0;             // mean over all; 0: unknown
};

// As it was measured.
LoadShape measured_shape(const PhaseMetrics& metrics);

// As it is planned: one block size for all.
LoadShape planned_shape(const OperationMix& mix, double mean_block);

struct HeldLimit {
  double value = 0;    // in the unit of the metric asked for
  std::string group;   // "" for the disk's flat entries
  std::string metric;  // the entry that holds: "total.iops"
};

// The tightest limit of all groups, or of one, for the iops or bandwidth of a direction or of total. For X.iops: X's
// limit, the total limit x X's share, a bandwidth limit ÷ mean block; for total.iops also each direction's limit ÷ its
// share; bandwidth mirrors iops. Absent when no entry applies.
std::optional<HeldLimit> tightest_limit(std::span<const LimitGroup> groups, const MetricInfo& metric,
                                        const LoadShape& shape, const std::optional<std::string>& only_group = {});

// "limit 15,000/s (instance total.iops)".
std::string describe(const HeldLimit& limit, MetricUnit unit);

}  // namespace diskproof
