// Loading by Boost.DLL; the only file that knows it.
#include "engine/library.hpp"

#include <boost/dll/shared_library.hpp>
#include <fmt/core.h>
#include <list>
#include <mutex>
#include <string_view>
#include <system_error>

#include "engine/handshake.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"

namespace diskproof {
namespace {

constexpr std::string_view kPrefix = "diskproof_engine_";

// The linker's own words, which Boost.DLL only has inside what().
std::string loader_text(const std::string& what) {
  constexpr std::string_view kOpening = "dlerror system message: ";
  const auto from = what.find(kOpening);
  const auto to = what.rfind("): ");
  if (from == std::string::npos || to == std::string::npos || to < from) return what;
  return what.substr(from + kOpening.size(), to - from - kOpening.size());
}

// Keeps a library loaded for the life of the process: code of it may be on any stack, its texts in any value.
const boost::dll::shared_library& keep(boost::dll::shared_library library) {
  static std::mutex mutex;
  static auto& kept = *new std::list<boost::dll::shared_library>;
  const std::scoped_lock lock(mutex);
  return kept.emplace_back(std::move(library));
}

boost::dll::shared_library open_file(const std::filesystem::path& path) {
  std::error_code failure;
  if (!path.is_absolute())
    throw Error(ErrorKind::unavailable, fmt::format("engine {}: the path must be absolute", text_of(path)));
  if (!std::filesystem::exists(path, failure))
    throw Error(ErrorKind::unavailable, fmt::format("engine {}: no such file", text_of(path)));
  try {
    using boost::dll::load_mode::rtld_local;
    using boost::dll::load_mode::rtld_now;
    return boost::dll::shared_library(path, rtld_now | rtld_local);
  } catch (const std::exception& error) {
    throw Error(ErrorKind::unavailable,
                fmt::format("engine {}: cannot be loaded: {}", text_of(path), loader_text(error.what())));
  }
}

void require_symbol(const boost::dll::shared_library& library, const char* symbol, const std::string& where) {
  if (!library.has(symbol))
    throw Error(ErrorKind::unavailable,
                fmt::format("engine {}: has no symbol {}: not a diskproof engine", where, symbol));
}

}  // namespace

std::string engine_name_of(const std::filesystem::path& path) {
  const std::string stem = text_of(path.stem());
  if (!stem.starts_with(kPrefix) || path.extension() != boost::dll::shared_library::suffix()) return {};
  return stem.substr(kPrefix.size());
}

std::string engine_file_name(const std::string& name) {
  return fmt::format("{}{}{}", kPrefix, name, boost::dll::shared_library::suffix().string());
}

Library Library::load(const std::filesystem::path& path, const dp_host& host) {
  const std::string where = text_of(path);
  const std::string expected = engine_name_of(path);
  if (expected.empty())
    throw Error(ErrorKind::unavailable,
                fmt::format("engine {}: the file must be named {}", where, engine_file_name("<name>")));
  const boost::dll::shared_library& library = keep(open_file(path));
  require_symbol(library, DP_MANIFEST_SYMBOL, where);
  require_symbol(library, DP_OPEN_SYMBOL, where);
  const auto& manifest = library.get<const dp_manifest>(DP_MANIFEST_SYMBOL);
  check_manifest(manifest, where, expected);
  auto& open = library.get<const dp_engine_api*(const dp_host*, dp_error*)>(DP_OPEN_SYMBOL);
  return {where, manifest, open_engine(manifest, &open, host, where)};
}

Library Library::adopt(const std::string& origin, const dp_manifest& manifest, dp_engine_open_fn open,
                       const dp_host& host) {
  check_manifest(manifest, origin, {});
  return {origin, manifest, open_engine(manifest, open, host, origin)};
}

}  // namespace diskproof
