// One libnfs context with its share mounted, used by the thread that made it. Calls of this class wait, for no longer
// than the time limit; what a queue has in flight goes through context() and serve().
#pragma once

#include <cstdint>
#include <string>

#include <diskproof/engine_services.hpp>

#include "nfs_api_linux.hpp"
#include "nfs_url.hpp"

namespace nfs {

struct Policy {
  std::uint32_t timeout_ms = 30'000;  // of a request, whole seconds
  bool reconnect = false;             // open a lost connection again and repeat what was in flight
};

// What the server exports, and where the URL's path is in it.
struct Place {
  std::string mounted;                       // what was mounted
  std::string path;                          // the URL's own path below it; "" when it is the same
  bool is_folder = true;                     // the URL's own path
  [[nodiscard]] std::string folder() const;  // that names start from: the path, or the folder that a file is in
};

class Connection {
 public:
  // Mounts the deepest folder on the URL's path that the server lets be mounted, unless `place` says which.
  // Throws dp::EngineError.
  Connection(const Url& url, const Policy& policy, const Place* place = nullptr);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] const Place& place() const noexcept { return place_; }
  [[nodiscard]] nfs_context* context() const noexcept { return context_; }

  // Of an existing file; never through a symbolic link at the end of its path.
  nfsfh* open(const std::string& path, int flags);
  void close(nfsfh* file) noexcept;
  nfs_stat_64 stat(nfsfh* file);

  // Moves what can be moved; runs callbacks. False when the connection is lost, for good.
  bool serve(int events) noexcept;
  [[nodiscard]] bool lost() const noexcept { return lost_; }
  [[nodiscard]] const char* last_words() const noexcept { return nfs_get_error(context_); }

 private:
  struct Answer;
  template <class Start>
  Answer wait_for(const std::string& what, Start start);
  void begin_context();
  void end_context() noexcept;
  void mount(const std::string& path);
  void find_place();
  nfs_stat_64 stat(const std::string& path);
  [[nodiscard]] bool look_below(const std::string& mounted);
  [[noreturn]] void fail(const std::string& what, int status, const std::string& words) const;

  Url url_;
  Policy policy_;
  std::uint64_t patience_;          // ns
  nfs_context* context_ = nullptr;  // gone once a call has waited in vain
  Place place_;
  bool lost_ = false;
};

// "NFSv3 of 10.0.0.1"
std::string protocol_text(const Url& url);

// The contract's code behind a status of libnfs, which is a negative errno.
dp_code code_of(int status) noexcept;

// What the server said: libnfs answers a read or write that it may have split with one status for whatever failed, and
// keeps the server's number in its text only.
int cause_of(int status, nfs_context* context) noexcept;

}  // namespace nfs
