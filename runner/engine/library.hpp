// A loaded engine: its manifest and its table, checked. Loading runs the plug-in's static initialisers, so only a
// phase's or probe's child does it. What is loaded stays until the process ends; a Library is a cheap handle.
#pragma once

#include <filesystem>
#include <string>

#include <diskproof/engine_abi.h>

namespace diskproof {

class Library {
 public:
  // `path` is absolute, its name diskproof_engine_<name> with the system's suffix. `host` must live until the process
  // ends. Throws Error{unavailable} that says which check refused the engine.
  static Library load(const std::filesystem::path& path, const dp_host& host);

  // The same checks on an engine that is part of this process. `origin` stands for the path in messages.
  static Library adopt(const std::string& origin, const dp_manifest& manifest, dp_engine_open_fn open,
                       const dp_host& host);

  [[nodiscard]] const dp_manifest& manifest() const noexcept { return *manifest_; }
  [[nodiscard]] const dp_engine_api& api() const noexcept { return *api_; }
  [[nodiscard]] std::string name() const { return manifest_->name; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  Library(std::string path, const dp_manifest& manifest, const dp_engine_api& api)
      : path_(std::move(path)), manifest_(&manifest), api_(&api) {}

  std::string path_;
  const dp_manifest* manifest_;
  const dp_engine_api* api_;
};

// "sync" for /x/diskproof_engine_sync.so; empty when the file is not named like an engine.
std::string engine_name_of(const std::filesystem::path& path);

// "diskproof_engine_sync.so" for sync.
std::string engine_file_name(const std::string& name);

}  // namespace diskproof
