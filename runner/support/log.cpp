// spdlog's default logger writes to stdout, which belongs to the reports, so it is replaced first thing.
#include "support/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace diskproof {

void set_up_log(LogLevel level) {
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  auto logger = std::make_shared<spdlog::logger>("diskproof", std::move(sink));
  logger->set_pattern("%n: %^%l%$: %v");
  logger->set_level(level == LogLevel::quiet ? spdlog::level::err : spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace diskproof
