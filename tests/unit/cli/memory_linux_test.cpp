// How much memory there is, by trees of files as kernels of both versions show them.
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>

#include "cli/memory.hpp"
#include "support/error.hpp"
#include "support/temp_folder.hpp"

namespace diskproof {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMiB = 1 << 20;

// A /proc with 1000 MiB available, and control groups below the same folder.
class Machine {
 public:
  Machine(const std::string& own_groups, const std::string& mounts) {
    put("proc/meminfo", "MemTotal:       2048000 kB\nMemFree:  100 kB\nMemAvailable:   1024000 kB\n");
    put("proc/self/cgroup", own_groups);
    put("proc/self/mountinfo",
        "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw\n" + fmt::format(fmt::runtime(mounts), folder_.path()));
  }
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(folder_.path(name)).parent_path());
    folder_.write(name, text);
  }
  void put_group2(const std::string& group, const std::string& limit, std::uint64_t usage, std::uint64_t cache) const {
    put(group + "/memory.max", limit + "\n");
    put(group + "/memory.current", fmt::format("{}\n", usage));
    put(group + "/memory.stat", fmt::format("anon 5\nfile 9999\ninactive_file {}\n", cache));
  }
  void put_group1(const std::string& group, std::uint64_t limit, std::uint64_t usage, std::uint64_t cache) const {
    put(group + "/memory.limit_in_bytes", fmt::format("{}\n", limit));
    put(group + "/memory.usage_in_bytes", fmt::format("{}\n", usage));
    put(group + "/memory.stat", fmt::format("inactive_file 1\ntotal_inactive_file {}\n", cache));
  }
  [[nodiscard]] AvailableMemory memory() const { return available_memory(folder_.path("proc")); }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.path(name); }

 private:
  TempFolder folder_;
};

constexpr const char* kMount2 = "30 22 0:26 / {0}/cg rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr const char* kMount1 =
    "31 22 0:27 / {0}/cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n32 22 0:28 / {0}/cg/memory rw - cgroup cgroup "
    "rw,memory\n";

TEST_CASE("memory: without control groups it is what the machine has to spare") {
  const Machine machine("0::/\n", "");
  CHECK(machine.memory().bytes == 1000 * kMiB);
  CHECK(machine.memory().what == "this machine's available memory");
}

TEST_CASE("memory: version 2 - what the group has left counts, page cache as free") {
  const Machine machine("0::/user.slice/job\n", kMount2);
  machine.put_group2("cg/user.slice/job", fmt::format("{}", 500 * kMiB), 300 * kMiB, 100 * kMiB);
  CHECK(machine.memory().bytes == 300 * kMiB);
  CHECK(machine.memory().what == "what the control group " + machine.path("cg/user.slice/job") + " has left");
}

TEST_CASE("memory: version 2 - a parent may be tighter than the group itself") {
  const Machine machine("0::/a/b/c\n", kMount2);
  machine.put_group2("cg/a/b/c", "max", 10 * kMiB, 0);
  machine.put_group2("cg/a/b", fmt::format("{}", 900 * kMiB), 10 * kMiB, 0);
  machine.put_group2("cg/a", fmt::format("{}", 200 * kMiB), 150 * kMiB, 0);
  CHECK(machine.memory().bytes == 50 * kMiB);
  CHECK(machine.memory().what.find("cg/a has left") != std::string::npos);
}

TEST_CASE("memory: a group with more room than the machine decides nothing") {
  const Machine machine("0::/a\n", kMount2);
  machine.put_group2("cg/a", fmt::format("{}", 5000 * kMiB), 0, 0);
  CHECK(machine.memory().bytes == 1000 * kMiB);
}

TEST_CASE("memory: a group over its limit has nothing left") {
  const Machine machine("0::/a\n", kMount2);
  machine.put_group2("cg/a", fmt::format("{}", 100 * kMiB), 101 * kMiB, 0);
  CHECK(machine.memory().bytes == 0);
  machine.put_group2("cg/a", fmt::format("{}", 100 * kMiB), 10 * kMiB, 20 * kMiB);  // cache is counted elsewhere
  CHECK(machine.memory().bytes == 100 * kMiB);
}

TEST_CASE("memory: version 1 - limit and usage of the memory hierarchy up to its root") {
  const Machine machine("9:name=systemd:/x\n5:cpu,cpuacct:/y\n4:memory:/pod/job\n0::/\n", kMount1);
  machine.put_group1("cg/memory/pod/job", 9223372036854771712ULL, 100 * kMiB, 0);  // no limit
  machine.put_group1("cg/memory/pod", 400 * kMiB, 200 * kMiB, 60 * kMiB);
  machine.put_group1("cg/cpu/pod", 1, 0, 0);  // another hierarchy
  CHECK(machine.memory().bytes == 260 * kMiB);
}

TEST_CASE("memory: version 1 and 2 side by side - the tightest counts") {
  const Machine machine("4:memory:/a\n0::/b\n",
                        std::string(kMount1) + "33 22 0:29 / {0}/cg/unified rw - cgroup2 none rw\n");
  machine.put_group1("cg/memory/a", 400 * kMiB, 0, 0);
  machine.put_group2("cg/unified/b", fmt::format("{}", 300 * kMiB), 0, 0);
  CHECK(machine.memory().bytes == 300 * kMiB);
}

TEST_CASE("memory: in a container the mount shows the group itself") {
  for (const char* root : {"/docker/77", "/docker"}) {
    CAPTURE(root);
    const Machine machine("0::/docker/77\n", std::string("30 22 0:26 ") + root + " {0}/cg rw - cgroup2 cgroup rw\n");
    machine.put_group2(std::string(root) == "/docker" ? "cg/77" : "cg", fmt::format("{}", 64 * kMiB), 0, 0);
    CHECK(machine.memory().bytes == 64 * kMiB);
  }
  const Machine outside("0::/../other\n", "30 22 0:26 /mine {0}/cg rw - cgroup2 cgroup rw\n");
  outside.put_group2("cg", fmt::format("{}", 32 * kMiB), 0, 0);
  CHECK(outside.memory().bytes == 32 * kMiB);
}

TEST_CASE("memory: files that say nothing are passed over, no meminfo is an error") {
  const Machine machine("nonsense\n0::/a\n", std::string("short line\n") + kMount2);
  machine.put_group2("cg/a", "much", 1, 1);
  CHECK(machine.memory().bytes == 1000 * kMiB);
  const TempFolder empty;
  CHECK_THROWS_AS(available_memory(empty.path()), Error);
}

TEST_CASE("memory: this machine has some") {
  const AvailableMemory memory = available_memory();
  CHECK(memory.bytes > kMiB);
  CHECK_FALSE(memory.what.empty());
}

}  // namespace
}  // namespace diskproof
