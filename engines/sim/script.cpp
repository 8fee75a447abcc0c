// Options to Script; durations become ticks of the host's clock here, once.
#include "script.hpp"

#include <cerrno>
#include <string>
#include <string_view>

namespace sim {
namespace {

struct NamedError {
  std::string_view name;
  dp_code code;
  int number;
};
constexpr NamedError kErrors[] = {{"eio", DP_EIO, EIO},
                                  {"enospc", DP_ENOSPC, ENOSPC},
                                  {"einval", DP_EINVAL, EINVAL},
                                  {"eacces", DP_EACCES, EACCES},
                                  {"enomem", DP_ENOMEM, ENOMEM},
                                  {"enotsup", DP_ENOTSUP, ENOTSUP},
                                  {"etimedout", DP_ETIMEDOUT, ETIMEDOUT},
                                  {"enodev", DP_ENODEV, ENODEV}};

}  // namespace

Script parse_script(const dp::Host& host, const dp::Options& options) {
  Script script;
  script.service_time = host.ticks_from_ns(options.number("service_time", 100'000));
  script.parallelism = options.number("parallelism");
  script.read_iops = options.number("read_iops");
  script.write_iops = options.number("write_iops");
  script.total_iops = options.number("total_iops");
  script.read_bandwidth = options.number("read_bandwidth");
  script.write_bandwidth = options.number("write_bandwidth");
  script.total_bandwidth = options.number("total_bandwidth");
  script.error_every = options.number("error_every");
  script.short_every = options.number("short_every");
  script.stuck_at = options.number("stuck_at");
  script.ignore_cancel = options.flag("ignore_cancel");
  script.tail_at = options.number("tail_at");
  script.tail_time = host.ticks_from_ns(options.number("tail_time", 100'000'000));
  script.abort_at = options.number("abort_at");
  script.exit_at = options.number("exit_at");
  script.hang_at = options.number("hang_at");
  const std::string_view wanted = options.text("error_code", "eio");
  for (const NamedError& error : kErrors) {
    if (error.name != wanted) continue;
    script.error_code = error.code;
    script.error_number = static_cast<std::uint32_t>(error.number);
    return script;
  }
  throw dp::EngineError(DP_EINVAL, "option error_code arrived as '" + std::string(wanted) + "'");
}

}  // namespace sim
