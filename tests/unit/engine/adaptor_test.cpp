// The C++ adaptor: exceptions become errors at every cold slot, texts are bounded, options are read.
#include <cerrno>
#include <cstring>
#include <doctest/doctest.h>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include <diskproof/engine.hpp>

#include "bench.hpp"

using namespace diskproof::testing;

namespace {

// Throws what its option says, in the place that its option says.
struct Thrower {
  std::string place, what;

  void at(const char* here) const {
    if (place != here) return;
    if (what == "engine") throw dp::EngineError(DP_EAUTH, "the server refused the ticket", 13);
    if (what == "bad_alloc") throw std::bad_alloc();
    if (what == "system") throw std::system_error(ENOSPC, std::generic_category(), "reserve");
    if (what == "runtime") throw std::runtime_error("told so");
    if (what == "ok") throw dp::EngineError(DP_OK, "an error that says it is none");
    throw 42;
  }
};

class ThrowingQueue;

struct ThrowingEngine {
  using Queue = ThrowingQueue;
  static constexpr dp::About kAbout{.name = "throwing",
                                    .version = "1",
                                    .summary = "fails as told",
                                    .capabilities = DP_CAP_NO_TARGET,
                                    .operations = dp::operations(DP_OP_READ)};
  static constexpr std::array<dp_option, 0> kOptions{};

  static void probe(dp::Host) { throw 42; }
  ThrowingEngine(dp::Host, dp::Options options)
      : thrower{std::string(options.text("place")), std::string(options.text("what"))} {
    thrower.at("create");
  }
  Thrower thrower;
};

class ThrowingQueue {
 public:
  ThrowingQueue(ThrowingEngine& engine, const dp_queue_params&) : thrower_(engine.thrower) { thrower_.at("open"); }
  std::int32_t submit(std::span<const dp_io> ios) noexcept { return static_cast<std::int32_t>(ios.size()); }
  std::int32_t reap(std::span<dp_done>, std::uint32_t, std::uint64_t) noexcept { return 0; }
  std::int32_t cancel(std::uint32_t) noexcept { return 0; }
  void target_info(std::uint32_t, dp_target_info&) const { thrower_.at("info"); }

 private:
  const Thrower& thrower_;
};

using Adaptor = dp::Adaptor<ThrowingEngine>;

// Code and error of the first call that fails when `what` is thrown at `place`.
std::pair<std::int32_t, dp_error> outcome(const std::string& place, const std::string& what) {
  const ManualHost host;
  dp_error error{};
  const dp_engine_api* api = Adaptor::open(&host.table(), &error);
  const dp_key_value options[] = {{"place", place.c_str()}, {"what", what.c_str()}};
  dp_engine* engine = nullptr;
  std::int32_t status = api->create(options, 2, &engine, &error);
  if (status != 0) {
    CHECK(engine == nullptr);
    return {status, error};
  }
  dp_queue* queue = nullptr;
  dp_queue_params params{};
  status = api->queue_open(engine, &params, &queue, &error);
  if (status == 0) {
    dp_target_info info{};
    status = api->target_info(queue, 0, &info, &error);
    api->queue_close(queue);
  }
  api->destroy(engine);
  return {status, error};
}

}  // namespace

TEST_CASE("adaptor: exceptions become codes and texts at every cold slot") {
  struct Row {
    const char* what;
    dp_code code;
    std::int64_t os_code;
    const char* text;
  };
  for (const char* place : {"create", "open", "info"})
    for (const Row& row :
         {Row{"engine", DP_EAUTH, 13, "the server refused the ticket"}, Row{"bad_alloc", DP_ENOMEM, 0, "out of memory"},
          Row{"system", DP_ENOSPC, ENOSPC, "reserve: No space left on device"}, Row{"runtime", DP_EOTHER, 0, "told so"},
          Row{"ok", DP_EOTHER, 0, "an error that says it is none"},
          Row{"number", DP_EOTHER, 0, "the engine threw something that is not a std::exception"}}) {
      CAPTURE(place);
      CAPTURE(row.what);
      const auto [status, error] = outcome(place, row.what);
      CHECK(status == -row.code);
      CHECK(error.code == row.code);
      CHECK(error.os_code == row.os_code);
      CHECK(std::string(error.text) == row.text);
    }
}

TEST_CASE("adaptor: a probe that throws is an error") {
  const ManualHost host;
  dp_error error{};
  CHECK(Adaptor::open(&host.table(), &error)->probe(&error) == -DP_EOTHER);
}

TEST_CASE("adaptor: a host of another size is refused with a text") {
  dp_host host{};
  host.size = 8;
  dp_error error{};
  CHECK(Adaptor::open(&host, &error) == nullptr);
  CHECK(error.code == DP_ENOTSUP);
  CHECK(std::strlen(error.text) > 0);
}

TEST_CASE("adaptor: texts are cut at a character") {
  char text[8];
  dp::copy_text(text, "abc");
  CHECK(std::string(text) == "abc");
  dp::copy_text(text, "abcdefgh");
  CHECK(std::string(text) == "abcdefg");
  dp::copy_text(text, "abcdef\xc3\xa9");  // the two-byte character does not fit
  CHECK(std::string(text) == "abcdef");
  dp::copy_text(text, "abcde\xc3\xa9");
  CHECK(std::string(text) == "abcde\xc3\xa9");
}

TEST_CASE("adaptor: errno becomes the contract's code") {
  struct Row {
    int error;
    dp_code code;
  };
  for (const Row& row : {Row{0, DP_OK},
                         {EIO, DP_EIO},
                         {EINVAL, DP_EINVAL},
                         {ENOSPC, DP_ENOSPC},
                         {EROFS, DP_EACCES},
                         {EPERM, DP_EACCES},
                         {EAGAIN, DP_ENOMEM},
                         {EOPNOTSUPP, DP_ENOTSUP},
                         {ENXIO, DP_ENODEV},
                         {EBUSY, DP_EBUSY},
                         {ENOTEMPTY, DP_ENOTEMPTY},
                         {ECANCELED, DP_ECANCELED},
                         {EXDEV, DP_EOTHER}}) {
    CAPTURE(row.error);
    CHECK(dp::code_from_errno(row.error) == row.code);
  }
}

TEST_CASE("adaptor: options are found and numbers are whole") {
  const dp_key_value table[] = {{"size", "4096"}, {"on", "true"}, {"bad", "12x"}};
  const dp::Options options(table, 3);
  CHECK(options.number("size") == 4096);
  CHECK(options.number("absent", 7) == 7);
  CHECK(options.flag("on"));
  CHECK_FALSE(options.flag("absent"));
  CHECK(options.find("absent") == nullptr);
  CHECK_THROWS_AS((void)options.number("bad"), dp::EngineError);
}

TEST_CASE("adaptor: ticks follow the host's rate and saturate") {
  const ManualHost nanoseconds, fast(3'000'000'000);
  CHECK(dp::Host(&nanoseconds.table()).ticks_from_ns(12345) == 12345);
  CHECK(dp::Host(&fast.table()).ticks_from_ns(1'000'000'001) == 3'000'000'003);
  CHECK(dp::Host(&fast.table()).ticks_from_ns(UINT64_MAX) == UINT64_MAX);
  CHECK(dp::Host(&nanoseconds.table()).after(UINT64_MAX - 5, 10) == UINT64_MAX);
  CHECK(dp::Host(&nanoseconds.table()).after(5, 10) == 15);
}
