// What is said of those that do not answer.
#include "target/reach.hpp"

#include <fmt/format.h>

#include "support/units.hpp"

namespace diskproof {
namespace {

Error fault(ErrorKind kind, const std::string& what, const std::string& path, const char* verb) {
  return {kind, fmt::format("{} {}: its file system does not {} within {}; bring its server or disk back, or name "
                            "another place",
                            what, path, verb, format_ns(kReachPatience))};
}

}  // namespace

Error no_answer(ErrorKind kind, const std::string& what, const std::string& path) {
  return fault(kind, what, path, "answer");
}

void require_answer(const std::string& what, const std::string& path) {
  if (!silent_paths({path}).empty()) throw no_answer(ErrorKind::failed, what, path);
}

void require_write(const std::string& what, const std::string& folder) {
  if (!takes_write(folder)) throw fault(ErrorKind::failed, what, folder, "take a write");
}

}  // namespace diskproof
