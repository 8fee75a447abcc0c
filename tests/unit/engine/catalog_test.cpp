// Where engines are found, and from where they are not loaded.
#include "engine/catalog.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>

#include "bench.hpp"
#include "engine/trusted_path.hpp"
#include "support/error.hpp"

using namespace diskproof;
using namespace diskproof::testing;
namespace fs = std::filesystem;

namespace {

std::string file_name(const std::string& engine) { return "diskproof_engine_" + engine + DISKPROOF_ENGINE_SUFFIX; }

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Error failure(const Catalog& catalog, const char* name) {
  try {
    return {ErrorKind::failed, "found " + catalog.find(name).string()};
  } catch (const Error& error) {
    return error;
  }
}

}  // namespace

TEST_CASE("catalog: lists engines by name and ignores other files") {
  const TempFolder folder;
  for (const char* name : {"sync", "null"}) (void)folder.file(file_name(name), 1);
  (void)folder.file(file_name("sync") + ".bak", 1);
  (void)folder.file("libother" DISKPROOF_ENGINE_SUFFIX, 1);
  (void)folder.file(file_name(""), 1);
  const Catalog catalog({folder.path()}, {});
  REQUIRE(catalog.entries().size() == 2);
  CHECK(catalog.entries()[0].name == "null");
  CHECK(catalog.entries()[1].name == "sync");
  CHECK(catalog.find("sync") == folder.path() / file_name("sync"));
}

TEST_CASE("catalog: a given folder comes before the standard ones") {
  const TempFolder given, standard;
  (void)given.file(file_name("sync"), 1);
  (void)standard.file(file_name("sync"), 1);
  (void)standard.file(file_name("null"), 1);
  const Catalog catalog({given.path()}, {standard.path(), standard.path() / "missing"});
  CHECK(catalog.find("sync") == given.path() / file_name("sync"));
  CHECK(catalog.find("null") == standard.path() / file_name("null"));
  CHECK(catalog.folders().size() == 2);
}

TEST_CASE("catalog: a given folder that is not there is an error") {
  const TempFolder folder;
  for (const std::string& path : {(folder.path() / "none").string(), std::string()}) {
    CAPTURE(path);
    CHECK_THROWS_WITH_AS(Catalog({path}, {}), doctest::Contains("no such folder"), Error);
  }
  CHECK_THROWS_WITH_AS(Catalog({folder.file("file", 1)}, {}), doctest::Contains("is no folder"), Error);
}

TEST_CASE("catalog: the standard folders are relative to the executable") {
  const auto folders = Catalog::standard_folders("/opt/dp/bin/diskproof");
  REQUIRE(folders.size() == 2);
  CHECK(folders[0] == "/opt/dp/lib/diskproof/engines");
  CHECK(folders[1] == "/opt/dp/engines");
  CHECK(executable_path().is_absolute());
  CHECK(executable_path().stem() == "unit_engine");
}

TEST_CASE("catalog: an absent engine is answered with what there is") {
  const TempFolder folder;
  for (const char* name : {"io_uring", "null", "sync"}) (void)folder.file(file_name(name), 1);
  const Catalog catalog({folder.path()}, {});
  const Error near = failure(catalog, "io_urnig");
  CHECK(near.kind() == ErrorKind::unavailable);
  CHECK(has(near.what(), "did you mean io_uring?"));
  const Error far = failure(catalog, "posixaio");
  CHECK(has(far.what(), "there are io_uring, null, sync"));
  CHECK(has(far.what(), folder.path().string()));
  CHECK_FALSE(has(far.what(), "did you mean"));
  CHECK(has(failure(Catalog({}, {}), "sync").what(), "--engine-path"));
}
