// By losetup.
#include "beds/loop_disk.hpp"

#include <filesystem>
#include <unistd.h>

#include "integration/program.hpp"

namespace diskproof::testing {
namespace {

constexpr std::chrono::seconds kPatience{60};

std::string without_line_end(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

ToolRun run_tool(const std::vector<std::string>& arguments) {
  const TempFolder folder;
  Program program(Launch{arguments, {}, folder.path(), folder.path("out"), folder.path("err")});
  const int code = program.wait(kPatience);
  return {code, without_line_end(folder.read("out") + folder.read("err"))};
}

LoopDisk::LoopDisk(std::uint64_t size, bool read_only) {
  if (::geteuid() != 0) {
    fault_ = "only root attaches loop devices";
    return;
  }
  folder_.write("image", "");
  std::filesystem::resize_file(image(), size);
  std::vector<std::string> arguments{"losetup", "--find", "--show"};
  if (read_only) arguments.emplace_back("--read-only");
  arguments.push_back(image());
  const ToolRun run = run_tool(arguments);
  (run.code == 0 ? device_ : fault_) = run.code == 0 ? run.text : "losetup: " + run.text;
}

LoopDisk::~LoopDisk() { detach(); }

void LoopDisk::detach() {
  if (!device_.empty()) run_tool({"losetup", "--detach", device_});
}

void LoopDisk::attach_anew(const std::string& image) {
  detach();
  if (const ToolRun run = run_tool({"losetup", device_, image}); run.code != 0) fault_ = "losetup: " + run.text;
}

}  // namespace diskproof::testing
