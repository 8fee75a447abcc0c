// What the tests of libaio and io_uring share: is the engine usable here, files for direct I/O, all completions.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <diskproof/engine_abi.h>

#include "bench.hpp"
#include "support/error.hpp"

namespace diskproof::testing {

inline constexpr std::array kKernelEngines{"libaio", "io_uring"};

// False, with the reason printed, where the engine is not built or the kernel forbids it.
inline bool usable(const std::string& engine) {
  if (!std::filesystem::exists(built_engine(engine))) {
    MESSAGE("skipped: engine ", engine, " is not built here");
    return false;
  }
  const ManualHost host;
  dp_error error{};
  if (Library::load(built_engine(engine), host.table()).api().probe(&error) == 0) return true;
  MESSAGE("skipped: engine ", engine, ": ", error.text);
  return false;
}

inline TargetSpec writable(const std::string& path, std::uint64_t size, std::uint32_t flags = 0) {
  return {.spec = path, .size = size, .flags = DP_TARGET_WRITE | flags};
}

// A bench on direct I/O; none, with the reason printed, where the temporary folder's file system has no such thing.
inline std::unique_ptr<Bench> direct_bench(const std::string& engine, ManualHost& host, const std::string& path,
                                           Bench::Setup setup) {
  setup.target = writable(path, std::filesystem::file_size(path), DP_TARGET_DIRECT);
  try {
    return std::make_unique<Bench>(engine, host, setup);
  } catch (const Error& error) {
    MESSAGE("skipped: ", error.what());
    return nullptr;
  }
}

// Why the queue does not open; "opened" when it does.
inline std::string open_failure(const std::string& engine, const Bench::Setup& setup) {
  ManualHost host;
  try {
    const Bench bench(engine, host, setup);
  } catch (const Error& error) {
    return error.what();
  }
  return "opened";
}

// Takes all of `ios`, in as many calls as the engine wants, and returns the completions by tag.
inline std::map<std::uint32_t, dp_done> run_all(Bench& bench, const std::vector<dp_io>& ios) {
  std::map<std::uint32_t, dp_done> completions;
  auto next = ios.begin();
  for (int calls = 0; completions.size() < ios.size() && calls < 100'000; ++calls) {
    const std::int32_t taken = bench.submit({next, ios.end()});
    REQUIRE(taken >= 0);
    next += taken;
    for (const dp_done& done : bench.reap(7, 1, 10'000'000'000)) REQUIRE(completions.emplace(done.tag, done).second);
  }
  REQUIRE(completions.size() == ios.size());
  return completions;
}

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline std::size_t open_descriptors() {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator{}));
}

// Runs `body` in a child whose system call `number` fails with `error`, as under a container's filter; what it returns.
std::string under_filter(long number, int error, std::string (*body)());

}  // namespace diskproof::testing
