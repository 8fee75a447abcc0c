// Files of a disk as the guard and the undo see them: never through a symbolic link in the last place, and always
// with the identity that tells a file from another one of the same name. Failures throw Error{failed}; what stands in
// the way of a new file or folder, or a link where a file was, Error{refused}.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace diskproof {

struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;  // used again after a removal
  std::uint64_t born = 0;   // ns since 1970; 0: not known, or nothing that tells files apart

  // A birth time that is not known cannot tell two files apart.
  bool operator==(const FileIdentity& other) const {
    return device == other.device && inode == other.inode && (born == other.born || born == 0 || other.born == 0);
  }
};

enum class FileType { missing, regular, directory, symlink, device, other };

struct FileStatus {
  FileType type = FileType::missing;
  FileIdentity identity;
  std::uint64_t size = 0;       // bytes
  std::uint64_t allocated = 0;  // bytes on the disk
  bool owned = false;           // by the user that runs this
  std::uint64_t modified = 0;   // ns since 1970: last change of content
  std::uint64_t born = 0;       // ns since 1970; 0: the file system does not say
};

FileStatus look_at(const std::string& path);
// The folder that a path leads to, also through a link; missing when it leads to something else.
FileStatus look_at_folder(const std::string& path);

// An open file or folder, closed at the end.
class OpenFile {
 public:
  OpenFile() = default;
  explicit OpenFile(std::intptr_t handle) : handle_(handle) {}
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;
  ~OpenFile();

  [[nodiscard]] FileStatus status() const;
  // Makes a shorter file longer by a hole; never shortens.
  void grow_to(std::uint64_t size, const std::string& path) const;
  // False when another process holds the lock. Released when the file is closed.
  [[nodiscard]] bool try_lock() const;
  // Waits for the lock.
  void lock() const;
  // Appends and makes it durable before it returns.
  void append_durably(const std::string& text, const std::string& path) const;

 private:
  std::intptr_t handle_ = -1;  // descriptor or HANDLE; -1: none
};

// A new empty file of mode 0600. Whatever has that name already is left alone and is an error.
OpenFile create_file(const std::string& path);
// An existing regular file for reading and writing.
OpenFile open_regular_file(const std::string& path);
// An existing regular file for appending behind its first `size` bytes; what followed them is dropped.
OpenFile open_to_append(const std::string& path, std::uint64_t size);
// A folder, to be locked.
OpenFile open_folder(const std::string& path);
// The file in the folder by which it is locked, where folders cannot be; else empty.
std::string folder_lock(const std::string& path);

void create_folder(const std::string& path);
void remove_file(const std::string& path);
// False when it is not empty.
bool remove_empty_folder(const std::string& path);

// The text of a regular file; nothing when there is no such file. Larger than `limit` bytes is an error.
std::optional<std::string> read_small_file(const std::string& path, std::uint64_t limit);
// Gives a file another name in one step, durably; what had that name is gone.
void rename_over(const std::string& from, const std::string& to);
// Makes names created in or removed from the folder survive a power loss.
void sync_folder(const std::string& folder);

}  // namespace diskproof
