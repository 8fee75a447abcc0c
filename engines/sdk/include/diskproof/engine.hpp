// From a C++ class to the C table. An engine's author writes
//
//     struct AcmeEngine {
//       using Queue = AcmeQueue;
//       static constexpr dp::About kAbout{.name = "acme", .version = "1.0", .summary = "…", .operations = …};
//       static constexpr std::array kOptions{dp::option(DP_OPTION_SIZE, "chunk", "…", "4096")};   // may be empty
//       static void probe(dp::Host);                        // throws when this machine cannot run it
//       AcmeEngine(dp::Host, dp::Options);                  // scope engine
//     };
//     struct AcmeQueue {
//       AcmeQueue(AcmeEngine&, const dp_queue_params&);     // attaches targets, registers regions
//       std::int32_t submit(std::span<const dp_io>) noexcept;
//       std::int32_t reap(std::span<dp_done>, std::uint32_t min, std::uint64_t timeout_ns) noexcept;
//       std::int32_t cancel(std::uint32_t tag) noexcept;
//       void target_info(std::uint32_t target, dp_target_info&);
//       std::int32_t submit_names(std::span<const dp_name_op>) noexcept;    // only with DP_CAP_NAMES
//     };
//     DP_DEFINE_ENGINE(AcmeEngine)
//
// Everything that may throw is behind a firewall that turns exceptions into dp_error; submit, reap, cancel and
// submit_names must be noexcept and must not allocate.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include <diskproof/engine_abi.h>
#include <diskproof/engine_services.hpp>

static_assert(sizeof(void*) == 8, "the engine contract is for 64-bit systems");
static_assert(sizeof(dp_io) == 32 && sizeof(dp_done) == 24 && sizeof(dp_error) == 512);
static_assert(sizeof(dp_name_op) == 48 && sizeof(dp_option) == 64 && sizeof(dp_target) == 40);
static_assert(sizeof(dp_manifest) == 88 && sizeof(dp_queue_params) == 64 && sizeof(dp_region) == 16);

namespace dp {

// The manifest without its bookkeeping.
struct About {
  const char* name = nullptr;
  const char* version = nullptr;
  const char* summary = nullptr;
  std::uint64_t capabilities = 0;
  std::uint64_t operations = 0;
  std::uint64_t wait_granularity_ns = 0;
  std::uint64_t max_depth = 0;
};

// One row of an option table. `minimum` and `maximum` both 0: no bound.
constexpr dp_option option(dp_option_type type, const char* name, const char* help, const char* default_value = nullptr,
                           std::int64_t minimum = 0, std::int64_t maximum = 0, dp_option_scope scope = DP_SCOPE_ENGINE,
                           std::uint32_t flags = 0) noexcept {
  return dp_option{name,
                   help,
                   default_value,
                   nullptr,
                   minimum,
                   maximum,
                   static_cast<std::uint32_t>(type),
                   static_cast<std::uint32_t>(scope),
                   flags,
                   0};
}

// choices: "a|b|c"
constexpr dp_option enum_option(const char* name, const char* help, const char* choices,
                                const char* default_value = nullptr, dp_option_scope scope = DP_SCOPE_ENGINE) noexcept {
  return dp_option{name, help, default_value, choices, 0, 0, DP_OPTION_ENUM, static_cast<std::uint32_t>(scope), 0, 0};
}

template <class... Ops>
constexpr std::uint64_t operations(Ops... ops) noexcept {
  return ((std::uint64_t{1} << ops) | ...);
}

// Runs `body`, which returns nothing or throws; 0 or a negative code with `error` filled.
template <class Body>
std::int32_t guarded(dp_error* error, Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
    return 0;
  } catch (const EngineError& failure) {
    return fill_error(error, failure.code() == DP_OK ? DP_EOTHER : failure.code(), failure.what(), failure.os_code());
  } catch (const std::bad_alloc&) {
    return fill_error(error, DP_ENOMEM, "out of memory");
  } catch (const std::system_error& failure) {
    const int value = failure.code().value();
    const bool is_errno =
        failure.code().category() == std::generic_category() || failure.code().category() == std::system_category();
    return fill_error(error, is_errno && value != 0 ? code_from_errno(value) : DP_EOTHER, failure.what(), value);
  } catch (const std::exception& failure) {
    return fill_error(error, DP_EOTHER, failure.what());
  } catch (...) {
    return fill_error(error, DP_EOTHER, "the engine threw something that is not a std::exception");
  }
}

template <class Engine>
class Adaptor {
  using Queue = typename Engine::Queue;

  static constexpr bool kHasNames = requires(Queue & queue, std::span<const dp_name_op> ops) {
    { queue.submit_names(ops) } -> std::same_as<std::int32_t>;
  };
  static_assert(kHasNames == ((Engine::kAbout.capabilities & DP_CAP_NAMES) != 0),
                "DP_CAP_NAMES and submit_names go together");
  static_assert(noexcept(std::declval<Queue&>().submit(std::span<const dp_io>{})), "submit must be noexcept");
  static_assert(noexcept(std::declval<Queue&>().reap(std::span<dp_done>{}, 0u, std::uint64_t{})),
                "reap must be noexcept");
  static_assert(noexcept(std::declval<Queue&>().cancel(0u)), "cancel must be noexcept");

 public:
  static constexpr dp_manifest manifest() noexcept {
    constexpr const About& about = Engine::kAbout;
    return dp_manifest{DP_MANIFEST_MAGIC,
                       sizeof(dp_manifest),
                       DP_ABI_MAJOR,
                       DP_ABI_MINOR,
                       0,
                       about.name,
                       about.version,
                       about.summary,
                       Engine::kOptions.data(),
                       Engine::kOptions.size(),
                       about.capabilities,
                       about.operations,
                       about.wait_granularity_ns,
                       about.max_depth};
  }

  static const dp_engine_api* open(const dp_host* host, dp_error* error) noexcept {
    if (host == nullptr || host->size < sizeof(dp_host)) {
      fill_error(error, DP_ENOTSUP, "the runner's host table is older than this engine needs");
      return nullptr;
    }
    host_ = host;
    return &kTable;
  }

 private:
  static std::int32_t probe(dp_error* error) noexcept {
    return guarded(error, [] { Engine::probe(Host(host_)); });
  }

  static std::int32_t create(const dp_key_value* options, std::uint32_t count, dp_engine** engine,
                             dp_error* error) noexcept {
    return guarded(error, [=] { *engine = hide(new Engine(Host(host_), Options(options, count))); });
  }

  static void destroy(dp_engine* engine) noexcept { delete show(engine); }

  static std::int32_t target_info(dp_queue* queue, std::uint32_t target, dp_target_info* info,
                                  dp_error* error) noexcept {
    *info = dp_target_info{};
    return guarded(error, [=] { show(queue)->target_info(target, *info); });
  }

  static std::int32_t queue_open(dp_engine* engine, const dp_queue_params* params, dp_queue** queue,
                                 dp_error* error) noexcept {
    return guarded(error, [=] { *queue = hide(new Queue(*show(engine), *params)); });
  }

  static void queue_close(dp_queue* queue) noexcept { delete show(queue); }

  static std::int32_t submit(dp_queue* queue, const dp_io* ios, std::uint32_t count) noexcept {
    return show(queue)->submit(std::span(ios, count));
  }

  static std::int32_t reap(dp_queue* queue, dp_done* done, std::uint32_t max, std::uint32_t min,
                           std::uint64_t timeout_ns) noexcept {
    return show(queue)->reap(std::span(done, max), min, timeout_ns);
  }

  static std::int32_t cancel(dp_queue* queue, std::uint32_t tag) noexcept { return show(queue)->cancel(tag); }

  static std::int32_t submit_names(dp_queue* queue, const dp_name_op* ops, std::uint32_t count) noexcept {
    if constexpr (kHasNames) {
      return show(queue)->submit_names(std::span(ops, count));
    } else {
      return -DP_ENOTSUP;
    }
  }

  static Engine* show(dp_engine* engine) noexcept { return reinterpret_cast<Engine*>(engine); }
  static Queue* show(dp_queue* queue) noexcept { return reinterpret_cast<Queue*>(queue); }
  static dp_engine* hide(Engine* engine) noexcept { return reinterpret_cast<dp_engine*>(engine); }
  static dp_queue* hide(Queue* queue) noexcept { return reinterpret_cast<dp_queue*>(queue); }

  static constexpr dp_engine_api kTable{sizeof(dp_engine_api),
                                        0,
                                        &probe,
                                        &create,
                                        &destroy,
                                        &target_info,
                                        &queue_open,
                                        &queue_close,
                                        &submit,
                                        &reap,
                                        &cancel,
                                        kHasNames ? &submit_names : nullptr};

  // The host of the latest dp_engine_open; an engine keeps the one that was current when it was created.
  static inline const dp_host* host_ = nullptr;
};

}  // namespace dp

// Defines the two exported symbols. Once per shared library, at global scope.
#define DP_DEFINE_ENGINE(Engine)                                                       \
  extern "C" {                                                                         \
  DP_EXPORT extern const dp_manifest dp_engine_manifest;                               \
  constinit const dp_manifest dp_engine_manifest = dp::Adaptor<Engine>::manifest();    \
  DP_EXPORT const dp_engine_api* dp_engine_open(const dp_host* host, dp_error* error); \
  const dp_engine_api* dp_engine_open(const dp_host* host, dp_error* error) {          \
    return dp::Adaptor<Engine>::open(host, error);                                     \
  }                                                                                    \
  }
