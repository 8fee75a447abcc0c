// Lists folders, applies the trust rule, answers by name.
#include "engine/catalog.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <system_error>

#include "engine/library.hpp"
#include "engine/trusted_path.hpp"
#include "support/error.hpp"
#include "support/near_name.hpp"
#include "support/path_text.hpp"

namespace diskproof {

namespace fs = std::filesystem;

Catalog::Catalog(const std::vector<fs::path>& given, const std::vector<fs::path>& standard) {
  for (const fs::path& folder : given) {
    std::error_code failure;
    if (!fs::is_directory(folder, failure)) {
      const bool there = fs::exists(folder, failure);
      throw Error(ErrorKind::unavailable,
                  fmt::format("--engine-path {}: {}", text_of(folder),
                              there ? "is no folder; give the folder that the library is in" : "no such folder"));
    }
    add_folder(fs::absolute(folder).lexically_normal());
  }
  for (const fs::path& folder : standard) {
    std::error_code failure;
    if (fs::is_directory(folder, failure)) add_folder(fs::absolute(folder).lexically_normal());
  }
  std::sort(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
}

std::vector<fs::path> Catalog::standard_folders(const fs::path& executable) {
  const fs::path prefix = executable.parent_path().parent_path();
  return {prefix / "lib" / "diskproof" / "engines", prefix / "engines"};
}

fs::path Catalog::find(std::string_view name) const {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : entries_) {
    if (entry.name == name) {
      if (!entry.refusal.empty())
        throw Error(ErrorKind::refused, fmt::format("engine {} is not loaded: {}", name, entry.refusal));
      return entry.path;
    }
    names.push_back(entry.name);
  }
  std::vector<std::string> places;
  for (const fs::path& folder : folders_) places.push_back(text_of(folder));
  if (names.empty())
    throw Error(ErrorKind::unavailable,
                fmt::format("engine {} is not there: no engine in {}; give their folder by --engine-path", name,
                            places.empty() ? "any known folder" : fmt::format("{}", fmt::join(places, ", "))));
  const std::string near = nearest_name(name, names);
  throw Error(ErrorKind::unavailable, fmt::format("engine {} is not there; {}there are {} (in {})", name,
                                                  near.empty() ? "" : fmt::format("did you mean {}? ", near),
                                                  fmt::join(names, ", "), fmt::join(places, ", ")));
}

void Catalog::add_folder(const fs::path& folder) {
  folders_.push_back(folder);
  std::error_code failure;
  for (fs::directory_iterator file(folder, failure), end; !failure && file != end; file.increment(failure)) {
    const std::string name = engine_name_of(file->path());
    const auto same = [&](const CatalogEntry& entry) { return entry.name == name; };
    if (name.empty() || std::any_of(entries_.begin(), entries_.end(), same)) continue;
    entries_.push_back({name, file->path(), distrust(file->path())});
  }
}

}  // namespace diskproof
