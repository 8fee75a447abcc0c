// From where engines are not loaded, by POSIX permissions.
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <unistd.h>

#include "bench.hpp"
#include "engine/catalog.hpp"
#include "support/error.hpp"

using namespace diskproof;
using namespace diskproof::testing;
namespace fs = std::filesystem;

namespace {

constexpr const char* kName = "diskproof_engine_sync" DISKPROOF_ENGINE_SUFFIX;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("catalog: what everybody may write is listed but refused") {
  const TempFolder folder;
  const std::string path = folder.file(kName, 1);
  SUBCASE("file") { fs::permissions(path, fs::perms::others_write, fs::perm_options::add); }
  SUBCASE("folder") { fs::permissions(folder.path(), fs::perms::others_write, fs::perm_options::add); }
  SUBCASE("folder with the sticky bit") {
    fs::permissions(folder.path(), fs::perms::others_write | fs::perms::sticky_bit, fs::perm_options::add);
  }
  const Catalog catalog({folder.path()}, {});
  REQUIRE(catalog.entries().size() == 1);
  CHECK(has(catalog.entries()[0].refusal, "writable by everybody"));
  try {
    (void)catalog.find("sync");
    FAIL("it was found");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::refused);
    CHECK(has(error.what(), "writable by everybody"));
  }
}

TEST_CASE("catalog: what a foreign group may write is refused, what root's or the own group may write is taken") {
  const TempFolder folder;
  const std::string path = folder.file(kName, 1);
  fs::permissions(path, fs::perms::group_write, fs::perm_options::add);
  CHECK(Catalog({folder.path()}, {}).entries().at(0).refusal.empty());
  constexpr gid_t kForeign = 65533;
  if (::chown(path.c_str(), static_cast<uid_t>(-1), kForeign) != 0) {
    MESSAGE("only root can give a file to a foreign group: not tried");
    return;
  }
  CHECK(has(Catalog({folder.path()}, {}).entries().at(0).refusal, "is writable by the group 65533"));
  fs::permissions(path, fs::perms::group_write, fs::perm_options::remove);
  CHECK(Catalog({folder.path()}, {}).entries().at(0).refusal.empty());
}

TEST_CASE("catalog: a link is judged by where it leads") {
  const TempFolder folder, open;
  (void)open.file("code", 1);
  fs::permissions(open.path(), fs::perms::others_write, fs::perm_options::add);
  fs::create_symlink(open.path() / "code", folder.path() / kName);
  CHECK(has(Catalog({folder.path()}, {}).entries().at(0).refusal, open.path().string()));
}
