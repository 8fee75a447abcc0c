// The file calls of Windows behind files.hpp. A link is any reparse point that stands for another name.
#include <utility>

#include "support/error.hpp"
#include "support/path_text.hpp"
#include "support/system_windows.hpp"
#include "target/file_owner_windows.hpp"
#include "target/files.hpp"

namespace diskproof {
namespace {

constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
constexpr DWORD kLook = FILE_READ_ATTRIBUTES | READ_CONTROL;
constexpr DWORD kLockPlace = 0x7FFFFFFF;  // upper half of an offset beyond every file: locked bytes cannot be read

[[noreturn]] void fail(const std::string& what, const std::string& path, DWORD code) {
  throw Error(ErrorKind::failed, what + " " + path + ": " + error_text(code));
}

HANDLE handle_of(std::intptr_t handle) { return reinterpret_cast<HANDLE>(handle); }

bool is_missing(DWORD code) {
  return code == ERROR_FILE_NOT_FOUND || code == ERROR_PATH_NOT_FOUND || code == ERROR_INVALID_NAME ||
         code == ERROR_DIRECTORY;
}

// 100 ns since 1601 in ns since 1970; 0 for what is not known.
std::uint64_t nanoseconds(const FILETIME& time) {
  constexpr std::uint64_t kTo1970 = 116'444'736'000'000'000;
  const std::uint64_t ticks = (std::uint64_t{time.dwHighDateTime} << 32) | time.dwLowDateTime;
  return ticks < kTo1970 ? 0 : (ticks - kTo1970) * 100;
}

bool is_link(HANDLE file) {
  FILE_ATTRIBUTE_TAG_INFO tag;
  return GetFileInformationByHandleEx(file, FileAttributeTagInfo, &tag, sizeof tag) != 0 &&
         (tag.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 && IsReparseTagNameSurrogate(tag.ReparseTag);
}

FileStatus status_of(HANDLE file, const std::string& path) {
  FileStatus status;
  BY_HANDLE_FILE_INFORMATION found;
  if (GetFileType(file) != FILE_TYPE_DISK) {
    status.type = FileType::device;
    return status;
  }
  if (GetFileInformationByHandle(file, &found) == 0) fail("cannot look at", path, GetLastError());
  const bool folder = (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  status.type = is_link(file) ? FileType::symlink : folder ? FileType::directory : FileType::regular;
  // The index of NTFS is never the same for two files. A creation time is: a new file gets that of an old one whose
  // name it takes, within seconds.
  status.identity = {found.dwVolumeSerialNumber, (std::uint64_t{found.nFileIndexHigh} << 32) | found.nFileIndexLow, 0};
  status.born = nanoseconds(found.ftCreationTime);
  status.size = (std::uint64_t{found.nFileSizeHigh} << 32) | found.nFileSizeLow;
  FILE_STANDARD_INFO standard;
  if (GetFileInformationByHandleEx(file, FileStandardInfo, &standard, sizeof standard) != 0) {
    status.allocated = static_cast<std::uint64_t>(standard.AllocationSize.QuadPart);
  }
  status.owned = is_owned_by_this_user(file);
  status.modified = nanoseconds(found.ftLastWriteTime);
  return status;
}

Handle open_path(const std::string& path, DWORD rights, DWORD creation, DWORD flags) {
  return Handle(CreateFileW(wide_path(path).c_str(), rights, kShareAll, nullptr, creation, flags, nullptr));
}

FileStatus look(const std::string& path, DWORD flags) {
  const Handle file = open_path(path, kLook, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | flags);
  if (file) return status_of(file.get(), path);
  const DWORD code = GetLastError();
  if (is_missing(code)) return {};
  fail("cannot look at", path, code);
}

std::intptr_t open_or_throw(const std::string& path, DWORD creation, const char* what) {
  Handle file = open_path(path, GENERIC_READ | GENERIC_WRITE | kLook, creation, FILE_FLAG_OPEN_REPARSE_POINT);
  const DWORD code = GetLastError();
  if (!file) {
    throw Error(code == ERROR_FILE_EXISTS ? ErrorKind::refused : ErrorKind::failed,
                std::string(what) + " " + path + ": " + error_text(code));
  }
  if (is_link(file.get())) throw Error(ErrorKind::refused, std::string(what) + " " + path + ": it is a link");
  return reinterpret_cast<std::intptr_t>(file.release());
}

bool lock_beyond_end(HANDLE file, DWORD flags) {
  OVERLAPPED place{};
  place.OffsetHigh = kLockPlace;
  return LockFileEx(file, LOCKFILE_EXCLUSIVE_LOCK | flags, 0, 1, 0, &place) != 0;
}

bool set_end(HANDLE file, std::uint64_t size) {
  FILE_END_OF_FILE_INFO end;
  end.EndOfFile.QuadPart = static_cast<LONGLONG>(size);
  return SetFileInformationByHandle(file, FileEndOfFileInfo, &end, sizeof end) != 0;
}

}  // namespace

FileStatus look_at(const std::string& path) { return look(path, FILE_FLAG_OPEN_REPARSE_POINT); }

FileStatus look_at_folder(const std::string& path) {
  const FileStatus status = look(path, 0);
  return status.type == FileType::directory ? status : FileStatus{};
}

OpenFile::OpenFile(OpenFile&& other) noexcept : handle_(std::exchange(other.handle_, -1)) {}

OpenFile& OpenFile::operator=(OpenFile&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

OpenFile::~OpenFile() {
  if (handle_ != -1) CloseHandle(handle_of(handle_));
}

FileStatus OpenFile::status() const { return status_of(handle_of(handle_), "an open file"); }

void OpenFile::grow_to(std::uint64_t size, const std::string& path) const {
  if (status().size >= size) return;
  if (!set_end(handle_of(handle_), size)) {
    fail("cannot make it " + std::to_string(size) + " bytes long:", path, GetLastError());
  }
}

bool OpenFile::try_lock() const {
  if (lock_beyond_end(handle_of(handle_), LOCKFILE_FAIL_IMMEDIATELY)) return true;
  const DWORD code = GetLastError();
  if (code == ERROR_LOCK_VIOLATION || code == ERROR_IO_PENDING) return false;
  fail("cannot lock", "an open file", code);
}

void OpenFile::lock() const {
  if (!lock_beyond_end(handle_of(handle_), 0)) fail("cannot lock", "an open file", GetLastError());
}

void OpenFile::append_durably(const std::string& text, const std::string& path) const {
  OVERLAPPED end{};
  end.Offset = end.OffsetHigh = 0xFFFFFFFF;  // wherever the end is
  DWORD written = 0;
  const auto size = static_cast<DWORD>(text.size());
  if (WriteFile(handle_of(handle_), text.data(), size, &written, &end) == 0 || written != size) {
    fail("cannot write", path, GetLastError());
  }
  if (FlushFileBuffers(handle_of(handle_)) == 0) fail("cannot make durable", path, GetLastError());
}

OpenFile create_file(const std::string& path) { return OpenFile(open_or_throw(path, CREATE_NEW, "cannot create")); }

OpenFile open_regular_file(const std::string& path) {
  OpenFile file(open_or_throw(path, OPEN_EXISTING, "cannot open"));
  if (file.status().type != FileType::regular) {
    throw Error(ErrorKind::failed, "cannot open " + path + ": it is no longer a regular file");
  }
  return file;
}

OpenFile open_to_append(const std::string& path, std::uint64_t size) {
  const std::intptr_t handle = open_or_throw(path, OPEN_EXISTING, "cannot open");
  OpenFile file(handle);
  if (file.status().size > size && !set_end(handle_of(handle), size)) fail("cannot shorten", path, GetLastError());
  return file;
}

std::string folder_lock(const std::string& path) { return path_in(path, "folder.lock"); }

// The lock stays there: a run that waits for it may have it open already.
OpenFile open_folder(const std::string& path) {
  if (look_at_folder(path).type == FileType::missing) fail("cannot open the folder", path, ERROR_PATH_NOT_FOUND);
  return OpenFile(open_or_throw(folder_lock(path), OPEN_ALWAYS, "cannot open the folder's lock"));
}

void create_folder(const std::string& path) {
  if (CreateDirectoryW(wide_path(path).c_str(), nullptr) != 0) return;
  const DWORD code = GetLastError();
  throw Error(code == ERROR_ALREADY_EXISTS ? ErrorKind::refused : ErrorKind::failed,
              "cannot create the folder " + path + ": " + error_text(code));
}

void remove_file(const std::string& path) {
  if (DeleteFileW(wide_path(path).c_str()) == 0 && !is_missing(GetLastError())) {
    fail("cannot remove", path, GetLastError());
  }
}

bool remove_empty_folder(const std::string& path) {
  if (RemoveDirectoryW(wide_path(path).c_str()) != 0) return true;
  const DWORD code = GetLastError();
  if (code == ERROR_DIR_NOT_EMPTY) return false;
  if (is_missing(code) && look_at(path).type == FileType::missing) return true;
  fail("cannot remove the folder", path, code);
}

std::optional<std::string> read_small_file(const std::string& path, std::uint64_t limit) {
  const Handle file =
      open_path(path, GENERIC_READ | kLook, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS);
  const DWORD code = GetLastError();
  if (!file && is_missing(code)) return std::nullopt;
  if (!file) fail("cannot open", path, code);
  const FileStatus status = status_of(file.get(), path);
  if (status.type != FileType::regular) throw Error(ErrorKind::failed, "cannot read " + path + ": not a regular file");
  if (status.size > limit) {
    throw Error(ErrorKind::failed, "cannot read " + path + ": it is larger than " + std::to_string(limit) + " bytes");
  }
  std::string text(status.size, '\0');
  DWORD got = 0;  // `limit` is far below 4 GiB
  if (ReadFile(file.get(), text.data(), static_cast<DWORD>(text.size()), &got, nullptr) == 0) {
    fail("cannot read", path, GetLastError());
  }
  text.resize(got);
  return text;
}

void rename_over(const std::string& from, const std::string& to) {
  constexpr DWORD kHow = MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH;
  if (MoveFileExW(wide_path(from).c_str(), wide_path(to).c_str(), kHow) == 0)
    fail("cannot replace", to, GetLastError());
}

// NTFS journals names, and who may flush a folder is not everybody: what cannot be flushed is left to it.
void sync_folder(const std::string& folder) {
  const Handle opened = open_path(folder, GENERIC_WRITE, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
  if (opened) {
    FlushFileBuffers(opened.get());
  } else if (is_missing(GetLastError())) {
    fail("cannot open the folder", folder, ERROR_PATH_NOT_FOUND);
  }
}

}  // namespace diskproof
