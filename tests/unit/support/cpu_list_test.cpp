// CPU numbers and ranges, read and written.
#include "support/cpu_list.hpp"

#include <doctest/doctest.h>

using namespace diskproof;

TEST_CASE("cpu list: a number or an ascending range is read") {
  using Cpus = std::vector<std::uint32_t>;
  CHECK(*parse_cpu_range("0") == Cpus{0});
  CHECK(*parse_cpu_range("2-3") == Cpus{2, 3});
  CHECK(*parse_cpu_range("7-7") == Cpus{7});
  CHECK((*parse_cpu_range("0-65535")).size() == 65536);
}

TEST_CASE("cpu list: anything else is refused with a reason") {
  struct Row {
    const char *text, *error;
  };
  for (const Row& row : {Row{"3-2", "'3-2' ends before it starts"},
                         {"", "'' is not a CPU or a range of them such as \"2-3\""},
                         {"a", "'a' is not a CPU"},
                         {"1-", "'1-' is not a CPU"},
                         {"-1", "'-1' is not a CPU"},
                         {"1-2-3", "'1-2-3' is not a CPU"},
                         {"1,2", "'1,2' is not a CPU"},
                         {"0x1", "'0x1' is not a CPU"},
                         {"0-65536", "'0-65536' goes beyond CPU 65535"},
                         {"99999999999999999999", "is not a CPU"}}) {
    CAPTURE(row.text);
    const auto parsed = parse_cpu_range(row.text);
    CHECK_FALSE(parsed);
    CHECK(parsed.error.find(row.error) != std::string::npos);
  }
}

TEST_CASE("cpu list: sets are written as ranges") {
  CHECK(cpu_list_text({}).empty());
  CHECK(cpu_list_text({4}) == "4");
  CHECK(cpu_list_text({3, 0, 1, 2, 8, 8, 10, 11}) == "0-3, 8, 10-11");
}
