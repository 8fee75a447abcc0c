// A share of a server by libsmbclient, for the client process. Calls wait for the server; results are 0 or what the
// question asks for, else a negative errno.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace smb {

struct Login {
  std::string server, share, domain, user, password;
  std::uint32_t port = 0;        // 0: the protocol's own
  std::uint32_t timeout_ms = 0;  // of a request
  bool encrypt = false;
};

struct Status {
  std::uint64_t size = 0, id = 0;
  bool folder = false;
};

class Share {
 public:
  Share();
  ~Share();
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;

  // `words` say why not, in one line.
  int connect(Login login, std::string& words);

  // The number of the file.
  std::int64_t open(const std::string& path, bool writable);
  std::int64_t read(std::uint32_t file, std::span<char> to, std::uint64_t offset);
  std::int64_t write(std::uint32_t file, std::span<const char> from, std::uint64_t offset);
  int look(std::uint32_t file, Status& status);
  void close_all();

  // Paths are below the share, without slashes at their ends.
  int stat(const std::string& path, Status& status);
  int create(const std::string& path, bool exclusive);
  int touch(const std::string& path);
  int truncate(const std::string& path, std::uint64_t size);
  int unlink(const std::string& path);
  int rename(const std::string& from, const std::string& to);
  int make_folder(const std::string& path);
  int remove_folder(const std::string& path);
  // Bytes: each name with its NUL.
  std::int64_t list(const std::string& path, std::span<char> to);

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace smb
