// Files that outlive a phase, on whatever system this is built for.
#include "sim/state_file.hpp"

#include <chrono>
#include <doctest/doctest.h>
#include <string>
#include <thread>

#include "support/temp_folder.hpp"

using namespace sim;
using diskproof::TempFolder;

namespace {

constexpr std::uint64_t kFarAway = (std::uint64_t{1} << 40) + 3;

bool write(StateFile& file, std::uint64_t offset, const std::string& text) {
  return file.write(offset, reinterpret_cast<const std::byte*>(text.data()), text.size()).code == DP_OK;
}

std::string read(const StateFile& file, std::uint64_t offset, std::size_t length) {
  std::string text(length, '?');
  CHECK(file.read(offset, reinterpret_cast<std::byte*>(text.data()), length).code == DP_OK);
  return text;
}

std::string zeros(std::size_t length) { return std::string(length, '\0'); }

void check_content(StateFile& file) {
  CHECK(read(file, 100, 8) == zeros(8));
  CHECK(write(file, kFarAway, "far away"));
  CHECK(read(file, kFarAway, 8) == "far away");
  CHECK(read(file, kFarAway + 6, 8) == "ay" + zeros(6));
  CHECK(file.zero(kFarAway + 1, 3).code == DP_OK);
  CHECK(read(file, kFarAway, 8) == "f" + zeros(3) + "away");
  CHECK(file.zero(kFarAway * 2, 5).code == DP_OK);
  CHECK(file.zero(kFarAway, 0).code == DP_OK);
  CHECK(read(file, kFarAway, 1) == "f");
}

}  // namespace

TEST_CASE("sim state file: far and odd places, in a folder and without one") {
  const TempFolder folder;
  const std::string path = folder.path();
  {
    StateFile file(path.c_str(), "content");
    check_content(file);
    StateFile nowhere(nullptr, "content");
    check_content(nowhere);
  }
  CHECK(read(StateFile(path.c_str(), "content"), kFarAway, 8) == "f" + zeros(3) + "away");
  CHECK(read(StateFile(nullptr, "content"), kFarAway, 8) == zeros(8));
}

TEST_CASE("sim state file: memory is shared between those who have it, and outlives them") {
  const TempFolder folder;
  const std::string path = folder.path();
  {
    StateFile first(path.c_str(), "memory"), second(path.c_str(), "memory");
    auto* mine = static_cast<char*>(first.map(1000));
    auto* yours = static_cast<char*>(second.map(1000));
    CHECK(mine[999] == 0);
    mine[999] = 7;
    CHECK(yours[999] == 7);
  }
  StateFile later(path.c_str(), "memory");
  CHECK(static_cast<char*>(later.map(1000))[999] == 7);
}

TEST_CASE("sim state file: one claims it, the others wait until it is shared") {
  const TempFolder folder;
  const std::string path = folder.path();
  {
    StateFile first(path.c_str(), "memory"), second(path.c_str(), "memory");
    CHECK(first.claim());
    CHECK_FALSE(second.claim());
    std::thread slow([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      first.share();
    });
    second.share();
    slow.join();
    CHECK_FALSE(StateFile(path.c_str(), "memory").claim());
  }
  CHECK(StateFile(path.c_str(), "memory").claim());
}
