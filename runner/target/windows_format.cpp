// format.com and diskpart.
#include "target/windows_format.hpp"

#include <fmt/format.h>

namespace diskproof {

std::vector<std::string> format_command(const Filesystem& filesystem, const std::string& volume) {
  const std::string label = filesystem.label.empty() ? "diskproof" : filesystem.label;
  const std::string type = filesystem.type == "refs" ? "ReFS" : "NTFS";
  std::vector<std::string> argv{"format.com", volume, "/FS:" + type, "/V:" + label, "/Q", "/Y"};
  argv.insert(argv.end(), filesystem.mkfs_args.begin(), filesystem.mkfs_args.end());
  return argv;
}

// Without "noerr" diskpart ends with an exit code at the first line that fails.
std::string partition_script(std::uint32_t disk) {
  return fmt::format("select disk {}\r\nclean\r\nconvert gpt\r\ncreate partition primary\r\n", disk);
}

std::vector<std::string> partition_command(const std::string& script_path) {
  return {"diskpart.exe", "/s", script_path};
}

}  // namespace diskproof
