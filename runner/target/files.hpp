// Files of a disk as the guard and the undo see them: never through a symbolic link in the last place, and always
// with the identity that tells a file from another one of the same name. Failures throw Error{failed}.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace diskproof {

struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;

  bool operator==(const FileIdentity&) const = default;
};

enum class FileType { missing, regular, directory, symlink, device, other };

struct FileStatus {
  FileType type = FileType::missing;
  FileIdentity identity;
  std::uint64_t size = 0;       // bytes
  std::uint64_t allocated = 0;  // bytes on the disk
  bool owned = false;           // by the user that runs this
  std::int64_t changed = 0;     // seconds since 1970: last change of content or status
};

FileStatus look_at(const std::string& path);

// An open descriptor, closed at the end.
class OpenFile {
 public:
  OpenFile() = default;
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;
  ~OpenFile();

  [[nodiscard]] FileStatus status() const;
  // Makes a shorter file longer by a hole; never shortens.
  void grow_to(std::uint64_t size, const std::string& path) const;
  // False when another process holds the lock. Released when the file is closed.
  [[nodiscard]] bool try_lock() const;
  // Appends and makes it durable before it returns.
  void append_durably(const std::string& text, const std::string& path) const;

 private:
  int descriptor_ = -1;
};

// A new empty file of mode 0600. Whatever has that name already is left alone and is an error.
OpenFile create_file(const std::string& path);
// An existing regular file for reading and writing.
OpenFile open_regular_file(const std::string& path);

void create_folder(const std::string& path);
void remove_file(const std::string& path);
// False when it is not empty.
bool remove_empty_folder(const std::string& path);

// The text of a regular file; nothing when there is no such file. Larger than `limit` bytes is an error.
std::optional<std::string> read_small_file(const std::string& path, std::uint64_t limit);
// Replaces the file in one step, durably: after a crash the old or the new text is there.
void replace_durably(const std::string& path, const std::string& text);
// Makes names created in or removed from the folder survive a power loss.
void sync_folder(const std::string& folder);
std::string folder_of(const std::string& path);

}  // namespace diskproof
