// CPU numbers over processor groups, on machines that are not here.
#include "support/cpu_groups.hpp"

#include <doctest/doctest.h>

using namespace diskproof;

namespace {

using Cpus = std::vector<std::uint32_t>;

// Room for four and three CPUs, of which the second group has CPU 1 missing.
const CpuGroups kTwo{{4, 0b1111}, {3, 0b101}};

}  // namespace

TEST_CASE("cpu groups: numbers run on from group to group, and what is missing is not found") {
  struct Row {
    std::uint32_t cpu;
    std::optional<GroupCpus> place;
  };
  for (const Row& row : {Row{0, GroupCpus{0, 1}},
                         {3, GroupCpus{0, 8}},
                         {4, GroupCpus{1, 1}},
                         {5, std::nullopt},
                         {6, GroupCpus{1, 4}},
                         {7, std::nullopt},
                         {65535, std::nullopt}}) {
    CAPTURE(row.cpu);
    CHECK(find_cpu(kTwo, row.cpu) == row.place);
  }
  CHECK(find_cpu({{64, ~std::uint64_t{0}}, {64, ~std::uint64_t{0}}}, 127) == GroupCpus{1, std::uint64_t{1} << 63});
  CHECK(find_cpu({}, 0) == std::nullopt);
}

TEST_CASE("cpu groups: a thread with the whole of its group may go everywhere, one that is restricted stays") {
  CHECK(allowed_in(kTwo, {0, 0b1111}) == Cpus{0, 1, 2, 3, 4, 6});
  CHECK(allowed_in(kTwo, {1, 0b101}) == Cpus{0, 1, 2, 3, 4, 6});
  CHECK(allowed_in(kTwo, {0, 0b0110}) == Cpus{1, 2});
  CHECK(allowed_in(kTwo, {1, 0b100}) == Cpus{6});
}

TEST_CASE("cpu groups: a thread is kept off CPUs in its group, else in another, else not at all") {
  CHECK(kept_off(kTwo, {0, 0b1111}, {1, 6, 99}) == GroupCpus{0, 0b1101});
  CHECK(kept_off(kTwo, {0, 0b1111}, {0, 1, 2, 3}) == GroupCpus{1, 0b101});
  CHECK(kept_off(kTwo, {0, 0b1111}, {0, 1, 2, 3, 4, 6}) == GroupCpus{0, 0b1111});
  CHECK(kept_off(kTwo, {0, 0b0011}, {0, 1}) == GroupCpus{0, 0b0011});
  CHECK(kept_off(kTwo, {1, 0b101}, {}) == GroupCpus{1, 0b101});
}
