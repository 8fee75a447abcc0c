// The words by which file systems are made on Windows, and how they become one command line.
#include "target/windows_format.hpp"

#include <doctest/doctest.h>

#include "target/windows_argv.hpp"

namespace diskproof {
namespace {

using Words = std::vector<std::string>;

TEST_CASE("Windows format: the command of each file system, and never one that takes a volume in use") {
  const Filesystem ntfs{.type = "ntfs", .mkfs_args = {}, .mount_options = {}, .label = {}};
  CHECK(format_command(ntfs, "E:") == Words{"format.com", "E:", "/FS:NTFS", "/V:diskproof", "/Q", "/Y"});
  const Filesystem refs{.type = "refs", .mkfs_args = {"/A:64K", "/I:enable"}, .mount_options = {}, .label = "bench"};
  CHECK(format_command(refs, R"(\\?\Volume{00000000-0000-0000-0000-0000000000e1})") ==
        Words{"format.com", R"(\\?\Volume{00000000-0000-0000-0000-0000000000e1})", "/FS:ReFS", "/V:bench", "/Q", "/Y",
              "/A:64K", "/I:enable"});
}

TEST_CASE("Windows format: a disk gets one partition, by a script that stops at its first fault") {
  CHECK(partition_script(12) == "select disk 12\r\nclean\r\nconvert gpt\r\ncreate partition primary\r\n");
  CHECK(partition_command("C:\\a b\\x.txt") == Words{"diskpart.exe", "/s", "C:\\a b\\x.txt"});
}

TEST_CASE("Windows command line: arguments stay what they are") {
  struct Row {
    Words argv;
    const char* line;
  };
  for (const Row& row : {Row{{"a", "b"}, "a b"},
                         {{"a", ""}, R"(a "")"},
                         {{"a", "b c"}, R"(a "b c")"},
                         {{"a", R"(C:\b c\)"}, R"(a "C:\b c\\")"},
                         {{"a", R"(\\?\Volume{1})"}, R"(a \\?\Volume{1})"},
                         {{"a", R"(say "x")"}, R"(a "say \"x\"")"},
                         {{"a", R"(x\")"}, R"(a "x\\\"")"}}) {
    CHECK(command_line(row.argv) == row.line);
  }
}

}  // namespace
}  // namespace diskproof
