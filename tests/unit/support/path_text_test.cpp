// Names of files keep their characters on the way to the disk and back.
#include "support/path_text.hpp"

#include <doctest/doctest.h>

#include "support/temp_folder.hpp"

namespace diskproof {
namespace {

TEST_CASE("path text: what is beyond Latin-1 names the same file") {
  const TempFolder folder;
  for (const char* name : {"plain", "with blank", "na\xC3\xAFve", "\xE3\x83\x87\xE3\x83\xBC\xE3\x82\xBF"}) {
    CAPTURE(name);
    const std::string path = path_in(folder.path(), name);
    CHECK(text_of(path_from(path)) == path);
    std::ofstream(path_from(path)) << name;
    CHECK(std::filesystem::exists(path_from(path)));
    CHECK(text_of(path_from(path).filename()) == name);
    CHECK(folder_of(path) == folder.path());
  }
  std::size_t seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path_from(folder.path()))) {
    std::string inside;
    std::ifstream file(entry.path());
    std::getline(file, inside);
    CHECK(text_of(entry.path().filename()) == inside);
    ++seen;
  }
  CHECK(seen == 4);
}

TEST_CASE("path text: a name alone is in the working folder") { CHECK(folder_of("name") == "."); }

}  // namespace
}  // namespace diskproof
