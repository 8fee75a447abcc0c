// The lock file's one line.
#include "target/folder_owner.hpp"

#include <nlohmann/json.hpp>

#include "support/error.hpp"
#include "support/path_text.hpp"
#include "target/files.hpp"

namespace diskproof {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMaxOwnerBytes = 64 << 10;

[[noreturn]] void refuse(const std::string& disk, const std::string& what) {
  throw Error(ErrorKind::refused, "disk " + disk + ": " + what + "; use another `subdirectory`, or another name");
}

}  // namespace

std::string lock_path(const std::string& work_path) { return path_in(work_path, "lock"); }

std::string owner_text(const std::string& job, const std::string& disk) {
  const Json json{{"diskproof_folder", 1}, {"job", job}, {"disk", disk}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool guard_owner(const std::string& work_path, const std::string& job, const std::string& disk) {
  std::string text;
  try {
    text = read_small_file(lock_path(work_path), kMaxOwnerBytes).value_or("");
  } catch (const Error& error) {
    refuse(disk, "the work folder " + work_path + " may be somebody else's: " + error.what());
  }
  if (text.empty()) return true;
  if (text == owner_text(job, disk)) return false;
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto name = [&](const char* key) -> std::string {
    const auto found = json.is_object() ? json.find(key) : json.end();
    return found != json.end() && found->is_string() ? found->get<std::string>() : "";
  };
  if (name("job").empty()) refuse(disk, lock_path(work_path) + " was not written by diskproof");
  refuse(disk, "the work folder " + work_path + " is kept by disk " + name("disk") + " of the job " + name("job"));
}

}  // namespace diskproof
