#include "share_linux.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <libsmbclient.h>
#include <netdb.h>
#include <string_view>
#include <sys/stat.h>
#include <vector>

namespace smb {
namespace {

constexpr mode_t kFileMode = 0600, kFolderMode = 0700;

// libsmbclient reads its URLs with escapes; names are taken as they stand.
std::string escaped(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string url;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
                       c == '-' || c == '_' || c == '/' || c == '$';
    if (plain) {
      url += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      url += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return url;
}

void give_login(SMBCCTX* context, const char*, const char*, char* domain, int domain_size, char* user, int user_size,
                char* password, int password_size) {
  const Login& login = *static_cast<const Login*>(smbc_getOptionUserData(context));
  const auto copy = [](char* to, int size, const std::string& text) {
    if (size <= 0 || text.empty()) return;
    const std::size_t length = std::min(text.size(), static_cast<std::size_t>(size) - 1);
    std::memcpy(to, text.data(), length);
    to[length] = '\0';
  };
  copy(domain, domain_size, login.domain);
  copy(user, user_size, login.user);
  copy(password, password_size, login.password);
}

Status status_of(const struct stat& found) {
  return {static_cast<std::uint64_t>(found.st_size), found.st_ino, S_ISDIR(found.st_mode)};
}

// The library does not always say why.
int fault() { return errno == 0 ? -EIO : -errno; }

}  // namespace

struct Share::Library {
  Login login;
  SMBCCTX* context = nullptr;
  std::vector<SMBCFILE*> files;

  [[nodiscard]] std::string server() const { return "smb://" + login.server + "/"; }
  [[nodiscard]] std::string url(const std::string& path) const {
    return server() + escaped(path.empty() ? login.share : login.share + "/" + path);
  }
  bool make_context();
  int explain(int error, std::string& words) const;
  int close(SMBCFILE* file) const { return smbc_getFunctionClose(context)(context, file) == 0 ? 0 : fault(); }
  [[nodiscard]] SMBCFILE* open(const std::string& path, int flags) const {
    errno = 0;
    return smbc_getFunctionOpen(context)(context, url(path).c_str(), flags, kFileMode);
  }
};

bool Share::Library::make_context() {
  context = smbc_new_context();
  if (context == nullptr) return false;
  smbc_setOptionUserData(context, &login);
  smbc_setFunctionAuthDataWithContext(context, &give_login);
  smbc_setPort(context, static_cast<std::uint16_t>(login.port));
  smbc_setTimeout(context, static_cast<int>(login.timeout_ms));
  smbc_setOptionNoAutoAnonymousLogin(context, login.user.empty() ? 0 : 1);
  smbc_setOptionUrlEncodeReaddirEntries(context, 0);
  if (login.encrypt) smbc_setOptionSmbEncryptionLevel(context, SMBC_ENCRYPTLEVEL_REQUIRE);
  return smbc_init_context(context) != nullptr && smbc_setOptionProtocols(context, "SMB2", "SMB3") != 0;
}

// What the library calls "permission denied" is a wrong password, or a share that is closed to this user.
int Share::Library::explain(int error, std::string& words) const {
  if (error == ENOENT || error == ENODEV) {
    words = "the server has no share of that name";
  } else if (error == EACCES || error == EPERM) {
    errno = 0;
    SMBCFILE* list = smbc_getFunctionOpendir(context)(context, server().c_str());
    const bool refused = list == nullptr && (errno == EACCES || errno == EPERM);
    if (list != nullptr) smbc_getFunctionClosedir(context)(context, list);
    words = refused ? "the server refuses the name or the password" : "this user may not use the share";
    if (refused) error = EKEYREJECTED;
  } else {
    words = std::strerror(error);
  }
  return -error;
}

Share::Share() : library_(std::make_unique<Library>()) {}

Share::~Share() {
  if (library_->context != nullptr) smbc_free_context(library_->context, 1);
}

int Share::connect(Login login, std::string& words) {
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(login.server.c_str(), nullptr, nullptr, &found); error != 0) {
    words = ::gai_strerror(error);
    return -EHOSTUNREACH;
  }
  ::freeaddrinfo(found);
  library_->login = std::move(login);
  if (!library_->make_context()) {
    words = "libsmbclient cannot be initialised";
    return -ENOMEM;
  }
  Status status;
  const int result = stat("", status);
  return result == 0 ? 0 : library_->explain(-result, words);
}

std::int64_t Share::open(const std::string& path, bool writable) {
  SMBCFILE* file = library_->open(path, writable ? O_RDWR : O_RDONLY);
  if (file == nullptr) return fault();
  library_->files.push_back(file);
  return static_cast<std::int64_t>(library_->files.size()) - 1;
}

// Until all is moved, or the file ends.
std::int64_t Share::read(std::uint32_t file, std::span<char> to, std::uint64_t offset) {
  SMBCCTX* context = library_->context;
  SMBCFILE* handle = library_->files.at(file);
  errno = 0;
  if (smbc_getFunctionLseek(context)(context, handle, static_cast<off_t>(offset), SEEK_SET) < 0) return fault();
  std::size_t moved = 0;
  while (moved < to.size()) {
    const ssize_t count = smbc_getFunctionRead(context)(context, handle, to.data() + moved, to.size() - moved);
    if (count < 0) return fault();
    if (count == 0) break;
    moved += static_cast<std::size_t>(count);
  }
  return static_cast<std::int64_t>(moved);
}

std::int64_t Share::write(std::uint32_t file, std::span<const char> from, std::uint64_t offset) {
  SMBCCTX* context = library_->context;
  SMBCFILE* handle = library_->files.at(file);
  errno = 0;
  if (smbc_getFunctionLseek(context)(context, handle, static_cast<off_t>(offset), SEEK_SET) < 0) return fault();
  std::size_t moved = 0;
  while (moved < from.size()) {
    const ssize_t count = smbc_getFunctionWrite(context)(context, handle, from.data() + moved, from.size() - moved);
    if (count < 0) return fault();
    if (count == 0) break;
    moved += static_cast<std::size_t>(count);
  }
  return static_cast<std::int64_t>(moved);
}

int Share::look(std::uint32_t file, Status& status) {
  struct stat found {};
  errno = 0;
  if (smbc_getFunctionFstat(library_->context)(library_->context, library_->files.at(file), &found) != 0)
    return fault();
  status = status_of(found);
  return 0;
}

void Share::close_all() {
  for (SMBCFILE* file : library_->files) library_->close(file);
  library_->files.clear();
}

int Share::stat(const std::string& path, Status& status) {
  struct stat found {};
  errno = 0;
  if (smbc_getFunctionStat(library_->context)(library_->context, library_->url(path).c_str(), &found) != 0)
    return fault();
  status = status_of(found);
  return 0;
}

int Share::create(const std::string& path, bool exclusive) {
  SMBCFILE* file = library_->open(path, O_RDWR | O_CREAT | (exclusive ? O_EXCL : 0));
  return file == nullptr ? fault() : library_->close(file);
}

int Share::touch(const std::string& path) {
  SMBCFILE* file = library_->open(path, O_RDONLY);
  return file == nullptr ? fault() : library_->close(file);
}

int Share::truncate(const std::string& path, std::uint64_t size) {
  SMBCFILE* file = library_->open(path, O_RDWR);
  if (file == nullptr) return fault();
  const bool cut = smbc_getFunctionFtruncate(library_->context)(library_->context, file, static_cast<off_t>(size)) == 0;
  const int result = cut ? 0 : fault();
  const int closed = library_->close(file);
  return result != 0 ? result : closed;
}

// The library says yes to a folder, and does nothing.
int Share::unlink(const std::string& path) {
  Status status;
  if (const int result = stat(path, status); result != 0) return result;
  if (status.folder) return -EISDIR;
  errno = 0;
  return smbc_getFunctionUnlink(library_->context)(library_->context, library_->url(path).c_str()) == 0 ? 0 : fault();
}

int Share::rename(const std::string& from, const std::string& to) {
  SMBCCTX* context = library_->context;
  errno = 0;
  const int result =
      smbc_getFunctionRename(context)(context, library_->url(from).c_str(), context, library_->url(to).c_str());
  return result == 0 ? 0 : fault();
}

int Share::make_folder(const std::string& path) {
  errno = 0;
  const int result =
      smbc_getFunctionMkdir(library_->context)(library_->context, library_->url(path).c_str(), kFolderMode);
  return result == 0 ? 0 : fault();
}

int Share::remove_folder(const std::string& path) {
  errno = 0;
  return smbc_getFunctionRmdir(library_->context)(library_->context, library_->url(path).c_str()) == 0 ? 0 : fault();
}

std::int64_t Share::list(const std::string& path, std::span<char> to) {
  SMBCCTX* context = library_->context;
  errno = 0;
  SMBCFILE* folder = smbc_getFunctionOpendir(context)(context, library_->url(path).c_str());
  if (folder == nullptr) return fault();
  std::int64_t used = 0;
  while (const smbc_dirent* entry = smbc_getFunctionReaddir(context)(context, folder)) {
    const std::string_view name = entry->name;
    if (name == "." || name == "..") continue;
    if (name.size() + 1 > to.size() - static_cast<std::size_t>(used)) {
      used = -EINVAL;
      break;
    }
    std::memcpy(to.data() + used, name.data(), name.size());
    to[static_cast<std::size_t>(used) + name.size()] = '\0';
    used += static_cast<std::int64_t>(name.size()) + 1;
  }
  smbc_getFunctionClosedir(context)(context, folder);
  return used;
}

}  // namespace smb
