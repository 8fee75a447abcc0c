// The findings that this version can make, and what each does unless the job says otherwise.
#pragma once

#include <array>
#include <string_view>

#include "job/job.hpp"

namespace diskproof {

struct FindingDefault {
  std::string_view name;
  Severity severity;
};

inline constexpr std::array<FindingDefault, 14> kFindings{{{"on_tmpfs", Severity::error},
                                                           {"clock_drift", Severity::error},
                                                           {"books_do_not_balance", Severity::error},
                                                           {"over_limit", Severity::warn},
                                                           {"capped", Severity::warn},
                                                           {"depth_not_reached", Severity::warn},
                                                           {"runner_limited", Severity::warn},
                                                           {"verify_limited", Severity::warn},
                                                           {"batch_bound_latency", Severity::warn},
                                                           {"long_drain", Severity::warn},
                                                           {"client_cache", Severity::warn},
                                                           {"mount_options", Severity::warn},
                                                           {"throttled_by_us", Severity::warn},
                                                           {"nothing_gated", Severity::warn}}};

}  // namespace diskproof
