// Mounting, and calls that wait.
#include "nfs_connection_linux.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <sys/stat.h>
#include <utility>

namespace nfs {
namespace {

constexpr int kLook = 100;                         // ms between two looks of libnfs at its time limits
constexpr std::uint64_t kSlack = 2'000'000'000;    // ns that libnfs has to notice that its time limit passed
constexpr std::uint64_t kMillisecond = 1'000'000;  // ns

std::uint64_t monotonic_ns() noexcept {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

// The first retries of a TCP handshake come after 1, 3, 7, 15 and 31 s.
int handshake_tries(std::uint32_t timeout_ms) noexcept {
  int tries = 1;
  while (tries < 6 && (2u << tries) * 1000 <= timeout_ms) ++tries;
  return tries;
}

// libnfs takes the ports from a URL only.
std::string port_url(const Url& url) {
  std::string text = "nfs://" + url.server + url.path + "?version=" + std::to_string(url.version);
  if (url.port) text += "&nfsport=" + std::to_string(*url.port);
  if (url.mount_port) text += "&mountport=" + std::to_string(*url.mount_port);
  return text;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "" : path.substr(0, slash);
}

}  // namespace

// Where one call of the library puts what it has to say.
struct Connection::Answer {
  bool done = false;
  int status = 0;
  void* data = nullptr;
  nfs_stat_64 stat{};
  std::string words;  // why it failed

  static void take(int status, nfs_context*, void* data, void* answer) noexcept {
    auto& self = *static_cast<Answer*>(answer);
    self.done = true;
    self.status = status;
    self.data = data;
    if (status < 0 && data != nullptr) self.words = static_cast<const char*>(data);
  }
  static void take_stat(int status, nfs_context* context, void* data, void* answer) noexcept {
    take(status, context, data, answer);
    if (status >= 0) static_cast<Answer*>(answer)->stat = *static_cast<const nfs_stat_64*>(data);
  }
};

std::string Place::folder() const { return is_folder ? path : folder_of(path); }

std::string protocol_text(const Url& url) { return "NFSv" + std::to_string(url.version) + " of " + url.server; }

dp_code code_of(int status) noexcept {
  switch (-status) {
    case EINTR:  // what libnfs calls a request whose time limit passed
      return DP_ETIMEDOUT;
    case EFAULT:  // and one that failed below NFS
    case ECONNREFUSED:
    case ECONNRESET:
    case ENOTCONN:
    case EHOSTUNREACH:
    case ENETUNREACH:
      return DP_ENODEV;
    default:
      return dp::code_from_errno(-status);
  }
}

int cause_of(int status, nfs_context* context) noexcept {
  if (status != -EFAULT) return status;
  const char* words = nfs_get_error(context);
  const char* number = words == nullptr ? nullptr : std::strrchr(words, '(');  // NFS3ERR_NOSPC(-28)
  const int said = number == nullptr ? 0 : std::atoi(number + 1);
  return said < 0 && said > -4096 ? said : status;
}

Connection::Connection(const Url& url, const Policy& policy, const Place* place)
    : url_(url), policy_(policy), patience_(policy.timeout_ms * kMillisecond + kSlack) {
  try {
    if (place != nullptr) {
      place_ = *place;
      mount(place_.mounted);
    } else {
      find_place();
    }
  } catch (...) {
    end_context();
    throw;
  }
}

Connection::~Connection() { end_context(); }

void Connection::end_context() noexcept {
  if (nfs_context* context = std::exchange(context_, nullptr); context != nullptr) nfs_destroy_context(context);
}

// A context that failed to mount is good for nothing more.
void Connection::begin_context() {
  end_context();
  context_ = nfs_init_context();
  if (context_ == nullptr) throw dp::EngineError(DP_ENOMEM, "libnfs has no memory for a connection");
  nfs_url* parsed = nfs_parse_url_dir(context_, port_url(url_).c_str());
  if (parsed == nullptr) fail("reading the URL", -EINVAL, nfs_get_error(context_));
  nfs_destroy_url(parsed);
  if (url_.uid) nfs_set_uid(context_, static_cast<int>(*url_.uid));
  if (url_.gid) nfs_set_gid(context_, static_cast<int>(*url_.gid));
  nfs_set_timeout(context_, static_cast<int>(policy_.timeout_ms));
  nfs_set_tcp_syncnt(context_, handshake_tries(policy_.timeout_ms));
  nfs_set_autoreconnect(context_, policy_.reconnect ? -1 : 0);
  nfs_set_dircache(context_, 0);  // a listing is the server's, not one from before
}

// What cannot be mounted may be a file, or a folder below what can.
void Connection::find_place() {
  std::string mounted = url_.path;
  try {
    mount(mounted);
    place_.mounted = mounted;
    place_.is_folder = S_ISDIR(stat(std::string("/")).nfs_mode);
    if (place_.is_folder) return;
  } catch (const dp::EngineError& refusal) {
    const bool answered = refusal.code() != DP_ETIMEDOUT && refusal.code() != DP_ENODEV && !lost_;
    if (!answered) throw;
    while (mounted != "/") {
      mounted = mounted.rfind('/') == 0 ? "/" : folder_of(mounted);
      if (look_below(mounted)) return;
    }
    throw;
  }
  if (!look_below(folder_of(url_.path).empty() ? "/" : folder_of(url_.path)))
    throw dp::EngineError(DP_ENOTDIR,
                          url_.path + " of " + url_.server + " is a file that cannot be reached by its folder");
}

bool Connection::look_below(const std::string& mounted) {
  try {
    mount(mounted);
    const std::string rest = url_.path.substr(mounted == "/" ? 0 : mounted.size());
    const bool folder = S_ISDIR(stat(rest).nfs_mode);
    place_ = {mounted, rest, folder};
    return true;
  } catch (const dp::EngineError&) {
    return false;  // the first refusal is the one that tells
  }
}

void Connection::mount(const std::string& path) {
  begin_context();
  wait_for("mounting " + path, [&](nfs_cb done, void* answer) {
    return nfs_mount_async(context_, url_.server.c_str(), path.c_str(), done, answer);
  });
}

nfs_stat_64 Connection::stat(const std::string& path) {
  return wait_for("looking at " + path,
                  [&](nfs_cb, void* answer) {
                    return nfs_lstat64_async(context_, path.c_str(), &Answer::take_stat, answer);
                  })
      .stat;
}

nfs_stat_64 Connection::stat(nfsfh* file) {
  return wait_for("looking at an open file",
                  [&](nfs_cb, void* answer) { return nfs_fstat64_async(context_, file, &Answer::take_stat, answer); })
      .stat;
}

nfsfh* Connection::open(const std::string& path, int flags) {
  const Answer answer = wait_for("opening " + place_.mounted + path, [&](nfs_cb done, void* argument) {
    return nfs_open_async(context_, path.c_str(), flags | O_NOFOLLOW, done, argument);
  });
  return static_cast<nfsfh*>(answer.data);
}

void Connection::close(nfsfh* file) noexcept {
  if (lost_) return;  // the server forgets it with the connection
  try {
    wait_for("closing a file",
             [&](nfs_cb done, void* answer) { return nfs_close_async(context_, file, done, answer); });
  } catch (const std::exception&) {
    // What was written and not flushed is the load's own choice.
  }
}

bool Connection::serve(int events) noexcept {
  if (lost_) return false;
  if (nfs_service(context_, events) == 0) return true;
  lost_ = true;
  return false;
}

// A call that has no answer in time would write to memory that is gone: the context ends, which answers it.
template <class Start>
Connection::Answer Connection::wait_for(const std::string& what, Start start) {
  Answer answer;
  if (start(&Answer::take, &answer) != 0) fail(what, -ENOTCONN, nfs_get_error(context_));
  const std::uint64_t end = monotonic_ns() + patience_;
  while (!answer.done && !lost_ && monotonic_ns() < end) {
    pollfd entry{nfs_get_fd(context_), static_cast<short>(nfs_which_events(context_)), 0};
    const int ready = ::poll(&entry, 1, kLook);
    serve(ready > 0 ? entry.revents : 0);
  }
  if (!answer.done) {
    const std::string words = lost_ ? nfs_get_error(context_) : "no answer within the time limit";
    end_context();
    const bool was_lost = std::exchange(lost_, true);
    fail(what, was_lost ? -ENOTCONN : -EINTR, words);
  }
  if (answer.status < 0) fail(what, answer.status, answer.words);
  return answer;
}

void Connection::fail(const std::string& what, int status, const std::string& words) const {
  std::string text = what + " over " + protocol_text(url_);
  if (!words.empty()) text += ": " + words;
  throw dp::EngineError(code_of(status), std::move(text), -status);
}

}  // namespace nfs
