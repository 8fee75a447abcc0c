// Keeping threads on CPUs of this machine, and off them.
#include "support/thread_affinity.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <exception>
#include <string>
#include <thread>

#include "support/error.hpp"

using namespace diskproof;

namespace {

using Cpus = std::vector<std::uint32_t>;

// What the thread may use after `action`, which changes the thread for good.
template <class Action>
Cpus allowed_after(Action action) {
  Cpus cpus;
  std::thread([&] {
    action();
    cpus = allowed_cpus();
  }).join();
  return cpus;
}

}  // namespace

TEST_CASE("thread affinity: a pinned thread may use its CPU only, others are as before") {
  const Cpus before = allowed_cpus();
  REQUIRE_FALSE(before.empty());
  CHECK(std::is_sorted(before.begin(), before.end()));
  CHECK(allowed_after([&] { pin_this_thread(before.back()); }) == Cpus{before.back()});
  CHECK(allowed_cpus() == before);
}

TEST_CASE("thread affinity: a CPU that is not there is an error that names those that are") {
  std::string text;
  const Cpus after = allowed_after([&] {
    try {
      pin_this_thread(65535);
    } catch (const Error& error) {
      text = error.what();
    }
  });
  CHECK(text.find("keeping a thread on CPU 65535: ") == 0);
  CHECK(text.find("it may run on CPUs ") != std::string::npos);
  CHECK(after == allowed_cpus());
}

TEST_CASE("thread affinity: a thread is kept off CPUs only where others are left") {
  const Cpus all = allowed_cpus();
  CHECK(allowed_after([&] { keep_this_thread_off(all); }) == all);
  CHECK(allowed_after([&] { keep_this_thread_off({}); }) == all);
  if (all.size() < 2) return;
  CHECK(allowed_after([&] { keep_this_thread_off({all.front()}); }) == Cpus(all.begin() + 1, all.end()));
}
