// Names of files as Windows takes them at any length, and words of its errors.
#include "support/system_windows.hpp"

#include <doctest/doctest.h>

#include "support/absolute_path.hpp"

using namespace diskproof;

TEST_CASE(
    "windows paths: one too long for its usual form gets the prefix that lifts the limit, shares one of their own") {
  const std::string deep(300, 'x');
  struct Row {
    std::string path;
    std::wstring wide;
  };
  for (const Row& row : {Row{"C:/a b/t.dat", L"C:\\a b\\t.dat"},
                         {"\\\\server\\share\\t.dat", L"\\\\server\\share\\t.dat"},
                         {"C:/" + deep + "/../t/" + deep, L"\\\\?\\C:\\t\\" + wide(deep)},
                         {"\\\\server\\share\\" + deep, L"\\\\?\\UNC\\server\\share\\" + wide(deep)},
                         {"\\\\?\\C:\\" + deep, L"\\\\?\\C:\\" + wide(deep)},
                         {"\\\\.\\PhysicalDrive0", L"\\\\.\\PhysicalDrive0"}}) {
    CAPTURE(row.path);
    CHECK(utf8(wide_path(row.path)) == utf8(row.wide));
  }
}

TEST_CASE("windows paths: what is absolute keeps its drive or its share") {
  struct Row {
    const char *path, *absolute;
  };
  for (const Row& row : {Row{"t.dat", "C:\\w\\t.dat"},
                         {"a/../t.dat", "C:\\w\\t.dat"},
                         {"D:\\a\\.\\t.dat", "D:\\a\\t.dat"},
                         {"\\\\server\\share\\a\\..\\t.dat", "\\\\server\\share\\t.dat"},
                         {"//server/share/t.dat", "\\\\server\\share\\t.dat"}}) {
    CAPTURE(row.path);
    CHECK(absolute_path("C:\\w", row.path) == row.absolute);
  }
  CHECK(absolute_path("\\\\server\\share\\w", "../t.dat") == "\\\\server\\share\\t.dat");
}

TEST_CASE("windows text: what is beyond Latin-1 and beyond 16 bits comes back as it went") {
  for (const std::string text : {"", "データ", "загрузка", "\xF0\x9F\x92\xBE"}) CHECK(utf8(wide(text)) == text);
  CHECK(error_text(ERROR_FILE_NOT_FOUND).ends_with("(error 2)"));
}
