// A mapping is reserved as a whole or not at all.
#include <doctest/doctest.h>
#include <filesystem>
#include <string>

#include "integrity/shared_mapping.hpp"
#include "support/error.hpp"
#include "support/temp_folder.hpp"

namespace diskproof {

TEST_CASE("shared mapping: one that the file system cannot hold leaves nothing behind") {
  const TempFolder folder;
  const std::string path = folder.path("map");
  CHECK_THROWS_AS(SharedMapping(path, SharedMapping::Mode::make, std::uint64_t{1} << 55), Error);
  CHECK_FALSE(std::filesystem::exists(path));
}

}  // namespace diskproof
