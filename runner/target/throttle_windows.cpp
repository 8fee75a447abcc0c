// Windows holds no disk to a limit for us.
#include "support/error.hpp"
#include "target/throttle.hpp"

namespace diskproof {
namespace {

[[noreturn]] void refuse() {
  throw Error(ErrorKind::unavailable,
              "`throttle` needs the cgroup I/O controller of Linux, which Windows has not: leave it out here");
}

}  // namespace

std::string throttle_group_path(const std::string&, const std::string&) { refuse(); }
void make_throttle(const std::string&, unsigned, unsigned, const ThrottleLimits&) { refuse(); }
void enter_throttle(const std::string&, std::int64_t) { refuse(); }
ThrottleCounts throttle_counts(const std::string&, unsigned, unsigned) { refuse(); }
void remove_throttle(const std::string&) { refuse(); }

}  // namespace diskproof
