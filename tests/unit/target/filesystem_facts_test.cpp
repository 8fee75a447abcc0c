// The file system under folders of this machine.
#include "target/filesystem_facts.hpp"

#include <doctest/doctest.h>

#include "support/error.hpp"
#include "support/temp_folder.hpp"

namespace diskproof {
namespace {

TEST_CASE("filesystem facts: a real folder has a type and sizes") {
  const TempFolder folder;
  const FilesystemFacts facts = filesystem_facts(folder.path());
  CHECK_FALSE(facts.type.empty());
  CHECK(facts.size > 0);
  CHECK(facts.available <= facts.size);
}

TEST_CASE("filesystem facts: a path that is not there is an error") {
  CHECK_THROWS_AS(filesystem_facts("/no/such/folder"), Error);
}

}  // namespace
}  // namespace diskproof
