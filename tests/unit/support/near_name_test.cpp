// Which known name a typing error is near to.
#include "support/near_name.hpp"

#include <doctest/doctest.h>

using namespace diskproof;

TEST_CASE("near name: typing errors find their name, strangers none") {
  const std::vector<std::string> known{"block_size", "queue_depth", "bytes", "duration", "iops"};
  struct Row {
    std::string name;
    std::string nearest;
  };
  const Row rows[]{{"blok_size", "block_size"},
                   {"bs", ""},
                   {"queuedepth", "queue_depth"},
                   {"byets", "bytes"},
                   {"durations", "duration"},
                   {"iosp", "iops"},
                   {"", ""},
                   {"x", ""},
                   {"block_size", "block_size"},
                   {"depth_queue", ""}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK(nearest_name(row.name, known) == row.nearest);
  }
  CHECK(nearest_name(std::string(100'000, 'a'), known).empty());
}
