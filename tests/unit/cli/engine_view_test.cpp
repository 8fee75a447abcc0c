// An engine's table in the terminal and as documentation.
#include "cli/engine_view.hpp"

#include <doctest/doctest.h>

using namespace diskproof;

namespace {

EngineInfo sample() {
  EngineInfo info;
  info.name = "acme";
  info.version = "1.2";
  info.summary = "block storage";
  info.path = "/engines/diskproof_engine_acme.so";
  info.capabilities = DP_CAP_FILES | DP_CAP_SYNC;
  info.operations = 1u << DP_OP_READ;
  info.max_depth = 1;
  info.reason = "no network";
  const auto option = [&](const char* name, dp_option_type type, const char* initial, std::int64_t min,
                          std::int64_t max) {
    EngineOption row;
    row.name = name;
    row.help = "either a|b";
    row.type = type;
    if (initial != nullptr) row.default_value = initial;
    row.min = min;
    row.max = max;
    info.options.push_back(row);
  };
  option("chunk", DP_OPTION_SIZE, "1048576", 512, std::int64_t{3} << 30);
  option("pause", DP_OPTION_DURATION, "1500000", 0, 60'000'000'000);
  option("count", DP_OPTION_INTEGER, nullptr, 0, 0);
  option("mode", DP_OPTION_ENUM, "fast", 0, 0);
  info.options.back().choices = {"fast", "safe"};
  info.options.back().scope = DP_SCOPE_TARGET;
  option("token", DP_OPTION_STRING, nullptr, 0, 0);
  info.options.back().secret = true;
  return info;
}

bool has(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST_CASE("engine view: the terminal shows availability, and each option with the units that a job writes") {
  const std::string text = engine_text(sample());
  CAPTURE(text);
  for (const char* words : {"acme 1.2: block storage", "available:   no: no network", "works on:    files\n",
                            "manner:      one I/O at a time per thread", "queue_depth: up to 1",
                            "  chunk\n      either a|b\n      (size: 512B … 3GiB, default 1MiB, per engine)",
                            "(duration: 0 … 1min, default 1500us, per engine)", "(integer, per engine)",
                            "(enum: fast | safe, default fast, per target)", "(string, per engine, never shown)"}) {
    CAPTURE(std::string(words));
    CHECK(has(text, words));
  }
}

TEST_CASE("engine view: the page has a row per option, escapes what would break it, and nothing of this machine") {
  const std::string page = engine_page(sample());
  CAPTURE(page);
  for (const char* words : {"## acme\n\nblock storage\n", "- *Operations*: read\n",
                            "| `chunk` | size | `1MiB` | 512B … 3GiB | engine | either a\\|b |\n",
                            "| `mode` | enum | `fast` | fast, safe | target | either a\\|b |\n",
                            "| `token` | string |  |  | engine | either a\\|b (secret) |\n"}) {
    CAPTURE(std::string(words));
    CHECK(has(page, words));
  }
  for (const char* words : {"/engines/", "no network", "1.2"}) {
    CAPTURE(std::string(words));
    CHECK_FALSE(has(page, words));
  }
}
