// Where engines are: folders given on the command line, then the installed folder and the build tree relative to the
// executable. Never the working directory. Only names and paths; nothing is loaded.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace diskproof {

struct CatalogEntry {
  std::string name;
  std::filesystem::path path;  // absolute
  std::string refusal;         // why it must not be loaded; empty when it may
};

class Catalog {
 public:
  // `given` folders (--engine-path) must exist, else Error{unavailable}; `standard` ones may be missing. The first
  // folder that has an engine wins. Relative ones are taken from the working directory at this moment.
  Catalog(const std::vector<std::filesystem::path>& given, const std::vector<std::filesystem::path>& standard);

  // The standard folders of an executable: ../lib/diskproof/engines (installed) and ../engines (build tree).
  static std::vector<std::filesystem::path> standard_folders(const std::filesystem::path& executable);

  // By name.
  [[nodiscard]] const std::vector<CatalogEntry>& entries() const noexcept { return entries_; }
  [[nodiscard]] const std::vector<std::filesystem::path>& folders() const noexcept { return folders_; }

  // The library of the engine, or Error{unavailable} that lists what there is, Error{refused} when it is not trusted.
  [[nodiscard]] std::filesystem::path find(std::string_view name) const;

 private:
  void add_folder(const std::filesystem::path& folder);

  std::vector<std::filesystem::path> folders_;
  std::vector<CatalogEntry> entries_;
};

}  // namespace diskproof
