// Sessions over an engine that is part of this test: order of calls, scopes of options, texts of failures.
#include "engine/session.hpp"

#include <array>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include <diskproof/engine.hpp>

#include "bench.hpp"
#include "engine/code.hpp"
#include "support/error.hpp"

using namespace diskproof;
using namespace diskproof::testing;

namespace {

// Writes down what reached it. One test runs at a time.
std::vector<std::string>& record() {
  static std::vector<std::string> lines;
  return lines;
}

void note(const char* what, const dp_key_value* options, std::uint32_t count) {
  std::string line = what;
  for (std::uint32_t i = 0; i < count; ++i) line += std::string(" ") + options[i].key + "=" + options[i].value;
  record().push_back(line);
}

constexpr std::array kOptions{dp::option(DP_OPTION_INTEGER, "a", "engine", "1"),
                              dp::option(DP_OPTION_INTEGER, "b", "target", "2", 0, 0, DP_SCOPE_TARGET),
                              dp::option(DP_OPTION_INTEGER, "c", "queue", "3", 0, 0, DP_SCOPE_QUEUE)};
const dp_manifest kManifest{
    DP_MANIFEST_MAGIC,       sizeof(dp_manifest), DP_ABI_MAJOR,    DP_ABI_MINOR, 0, "recorder", "1",
    "writes down its calls", kOptions.data(),     kOptions.size(), DP_CAP_URLS,  1, 0,          0};

dp_engine* some_engine() { return reinterpret_cast<dp_engine*>(&record()); }
dp_queue* some_queue() { return reinterpret_cast<dp_queue*>(&record()); }

dp_engine_api working_table() {
  dp_engine_api api{};
  api.size = sizeof(api);
  api.probe = [](dp_error*) { return 0; };
  api.create = [](const dp_key_value* options, std::uint32_t count, dp_engine** engine, dp_error*) {
    note("create", options, count);
    *engine = some_engine();
    return 0;
  };
  api.destroy = [](dp_engine*) { record().emplace_back("destroy"); };
  api.target_info = [](dp_queue*, std::uint32_t, dp_target_info* info, dp_error*) {
    info->size = 77;
    return 0;
  };
  api.queue_open = [](dp_engine*, const dp_queue_params* params, dp_queue** queue, dp_error*) {
    note("open", params->options, params->option_count);
    for (std::uint32_t i = 0; i < params->target_count; ++i)
      note(params->targets[i].spec, params->targets[i].options, params->targets[i].option_count);
    *queue = some_queue();
    return 0;
  };
  api.queue_close = [](dp_queue*) { record().emplace_back("close"); };
  api.submit = [](dp_queue*, const dp_io*, std::uint32_t count) { return static_cast<std::int32_t>(count); };
  api.reap = [](dp_queue*, dp_done*, std::uint32_t, std::uint32_t, std::uint64_t) { return 0; };
  api.cancel = [](dp_queue*, std::uint32_t) { return 0; };
  return api;
}

Library adopt(const dp_engine_api& api, const dp_host& host) {
  static dp_engine_api table;
  table = api;
  record().clear();
  return Library::adopt(
      "in-process", kManifest, [](const dp_host*, dp_error*) -> const dp_engine_api* { return &table; }, host);
}

const QueueSpec kSpec{.depth = 4,
                      .max_length = 4096,
                      .targets = {{.spec = "nfs://a/x", .size = 1}, {.spec = "nfs://a/y", .size = 1}},
                      .regions = {}};

// What opening a session on this table ends with.
Error outcome(const dp_engine_api& api) {
  const ManualHost host;
  try {
    Engine engine(adopt(api, host.table()), {});
    const Queue queue(engine, kSpec);
    return {ErrorKind::bad_job, "opened"};
  } catch (const Error& error) {
    return error;
  }
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("session: options go to their scope and everything is closed in order") {
  const ManualHost host;
  {
    Engine engine(adopt(working_table(), host.table()), {{"a", "10"}, {"b", "20"}, {"c", "30"}});
    const Queue queue(engine, kSpec);
    CHECK(queue.target_info(1).size == 77);
    CHECK(queue.calls().submit_names({}) == -DP_ENOTSUP);
  }
  CHECK(record() ==
        std::vector<std::string>{"create a=10", "open c=30", "nfs://a/x b=20", "nfs://a/y b=20", "close", "destroy"});
}

TEST_CASE("session: an abandoned queue is not closed") {
  const ManualHost host;
  Engine engine(adopt(working_table(), host.table()), {});
  {
    Queue queue(engine, kSpec);
    queue.abandon();
  }
  CHECK(record().back() != "close");
}

TEST_CASE("session: an option that the table does not have is an error") {
  const ManualHost host;
  CHECK_THROWS_WITH_AS(Engine(adopt(working_table(), host.table()), {{"d", "1"}}), doctest::Contains("no option d"),
                       Error);
}

TEST_CASE("session: a failed open names engine, depth, target and the engine's words") {
  dp_engine_api api = working_table();
  api.queue_open = [](dp_engine*, const dp_queue_params*, dp_queue**, dp_error* error) {
    return dp::fill_error(error, DP_ENOMEM, "io_setup needs 4 of 0 events", 11);
  };
  const Error error = outcome(api);
  const std::string text = error.what();
  CAPTURE(text);
  CHECK(error.kind() == ErrorKind::unavailable);
  for (const char* part : {"engine recorder", "depth 4", "nfs://a/x and 1 more", "io_setup needs 4 of 0 events",
                           "enomem", "system code 11"})
    CHECK(has(text, part));
  CHECK(record().back() == "destroy");
}

TEST_CASE("session: a failure without a text says that the engine kept silent") {
  dp_engine_api api = working_table();
  api.create = [](const dp_key_value*, std::uint32_t, dp_engine**, dp_error*) -> std::int32_t { return -DP_EIO; };
  const Error error = outcome(api);
  CHECK(error.kind() == ErrorKind::failed);
  CHECK(has(error.what(), "did not say why"));
}

TEST_CASE("session: success without a handle is the engine's fault") {
  dp_engine_api api = working_table();
  api.queue_open = [](dp_engine*, const dp_queue_params*, dp_queue**, dp_error*) -> std::int32_t { return 0; };
  CHECK(has(outcome(api).what(), "returned nothing"));
}

TEST_CASE("session: codes have names and texts, foreign numbers too") {
  CHECK(code_name(-DP_ENOSPC) == "enospc");
  CHECK(code_name(DP_EOTHER) == "eother");
  CHECK(code_name(-99) == "unknown");
  CHECK(code_name(INT64_MIN) == "unknown");
  CHECK(code_text(-DP_EIO) == "the medium or the server failed the I/O");
}

TEST_CASE("session: an error text without an end is cut at its size") {
  dp_error error{};
  for (char& c : error.text) c = 'a';
  CHECK(failure_text(-DP_EIO, error) == std::string(sizeof(error.text), 'a') + " (eio)");
}
