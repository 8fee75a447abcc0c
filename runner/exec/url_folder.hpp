// The folder that a URL leads to, seen through an engine's own queue: its names, and small files in it. One operation
// after the other, on the thread that made it. For children only: it has the engine at work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/session.hpp"

namespace diskproof {

class UrlFolder {
 public:
  struct Status {
    bool exists = false;
    bool folder = false;
    std::uint64_t size = 0;  // bytes
    std::uint64_t id = 0;    // tells it from another one of the same name
  };

  // Connects. Throws Error when the engine cannot, or has no operations on names.
  UrlFolder(Engine& engine, const std::string& url);

  // Paths are below the URL; empty: the URL itself. What fails throws Error{failed} that says what was tried.
  [[nodiscard]] Status look_at(const std::string& path);
  [[nodiscard]] std::vector<std::string> names_in(const std::string& path);
  // These answer false, and change nothing, when the name is taken.
  bool make_folder(const std::string& path);
  bool make_file(const std::string& path);
  void set_size(const std::string& path, std::uint64_t size);
  void rename(const std::string& from, const std::string& to);
  // These answer false when there is no such name, or what the folder holds keeps it.
  bool remove_file(const std::string& path);
  bool remove_folder(const std::string& path);
  void remove_tree(const std::string& path);

  // The whole content of an existing file; durable when write() returns.
  void write(const std::string& path, std::string_view text);
  [[nodiscard]] std::string read(const std::string& path, std::uint64_t size);

 private:
  std::int64_t run(dp_name_op_kind kind, const std::string& path, const std::string& to = "", std::uint64_t number = 0,
                   std::uint8_t flags = 0);
  void must(std::int64_t result, const char* tried, const std::string& path) const;
  void close(const std::string& path);

  Engine& engine_;
  std::string url_;
  Queue queue_;
  std::vector<char> out_ = std::vector<char>(std::size_t{1} << 16);
  std::uint32_t os_code_ = 0;  // behind the last result
};

}  // namespace diskproof
