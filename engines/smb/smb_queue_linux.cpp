// Clients are started and connected together; then each tag's question goes to its client, and answers are collected.
#include "smb_queue_linux.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "smb_codes.hpp"

namespace smb {
namespace {

constexpr std::uint64_t kSlack = 1'000'000'000;  // ns that a client has to notice that its time limit passed
constexpr std::uint64_t kLook = 100'000'000;     // ns between two looks at time limits and processes
constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kLeastRoom = 65'536;  // bytes, for the names in a folder

const char* spec_of_first(const dp_queue_params& params) {
  if (params.target_count == 0) throw dp::EngineError(DP_EINVAL, "there is no target");
  return params.targets[0].spec;
}

std::string below(const std::string& folder, const std::string& name) {
  return folder.empty() || name.empty() ? folder + name : folder + "/" + name;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

}  // namespace

Queue::Queue(Engine& engine, const dp_queue_params& params)
    : host_(engine.host),
      timeout_(engine.timeout),
      url_(parse_url(spec_of_first(params))),
      board_(params.depth, std::max<std::uint64_t>(params.max_length, kLeastRoom)),
      slots_(params.depth) {
  user_ = url_.user.empty() ? engine.credentials.user : url_.user;
  if (!user_.empty() && !engine.credentials.has_password)
    throw dp::EngineError(DP_EAUTH, "no password is given for " + user_ + " on " + url_.server +
                                        ": give the engine a credentials_file or a password_env");
  ready_.reserve(params.depth);
  clients_.reserve(params.depth);
  const std::string program = client_program();
  for (std::uint32_t tag = 0; tag < params.depth; ++tag) clients_.emplace_back(board_, tag, program);
  connect(engine.credentials, engine.encrypt);
  find_place();
  open_targets(std::span(params.targets, params.target_count));
}

// All of them first, then each is waited for.
Queue::~Queue() {
  for (const Client& client : clients_) client.leave();
}

std::string Queue::place() const { return "//" + url_.server + "/" + url_.share; }

void Queue::connect(const Credentials& credentials, bool encrypt) {
  const std::string domain = url_.domain.empty() ? credentials.domain : url_.domain;
  std::string secret = domain + '\0' + user_ + '\0' + credentials.password;
  for (const Client& client : clients_) {
    Mailbox& box = client.mailbox();
    box.offset = url_.port;
    box.length = timeout_ / kMillisecond;
    box.flags = encrypt ? 1 : 0;
    const bool fits =
        put_text(box.text, url_.server) && put_text(box.text2, url_.share) && put_text(client.room(), secret);
    if (!fits) throw dp::EngineError(DP_EINVAL, "a name or the password for " + url_.server + " is too long");
    client.ask(Ask::connect);
  }
  std::ranges::fill(secret, '\0');
  const std::string tried = "connecting to " + place() + (user_.empty() ? " as a guest" : " as " + user_);
  for (Client& client : clients_) await(client, tried);
}

// A URL leads to a folder or to a file.
void Queue::find_place() {
  Client& client = clients_.front();
  put_text(client.mailbox().text, url_.path);
  client.ask(Ask::stat);
  await(client, "looking at " + place() + "/" + url_.path);
  is_folder_ = client.mailbox().folder != 0;
  folder_ = is_folder_ ? url_.path : folder_of(url_.path);
}

void Queue::open_targets(std::span<const dp_target> targets) {
  std::uint32_t files = 0;
  for (const dp_target& target : targets) {
    const Url url = parse_url(target.spec);
    if (!url.same_place(url_)) throw dp::EngineError(DP_EINVAL, "the targets of a queue are not on one share");
    Target& made = targets_.emplace_back();
    made.path = url.inner.empty() ? url_.path : below(folder_, url.inner);
    made.writable = (target.flags & DP_TARGET_WRITE) != 0;
    made.folder = url.inner.empty() && is_folder_;
    if ((target.flags & (DP_TARGET_DSYNC | DP_TARGET_SYNC)) != 0)
      throw dp::EngineError(DP_ENOTSUP, "libsmbclient cannot ask for durable writes: leave `sync` out");
    if (made.folder) continue;
    made.file = files++;
    for (const Client& client : clients_) {
      if (!put_text(client.mailbox().text, made.path)) throw dp::EngineError(DP_EINVAL, "too long: " + made.path);
      client.mailbox().flags = made.writable ? 1 : 0;
      client.ask(Ask::open);
    }
    for (Client& client : clients_) await(client, "opening " + place() + "/" + made.path);
  }
}

// Of a client that was asked while nothing is in flight.
void Queue::await(Client& client, const std::string& tried) {
  const std::uint64_t end = host_.after(host_.now(), timeout_ + kSlack);
  const auto fail = [&](int error, const std::string& why) {
    throw dp::EngineError(code_of(error), tried + ": " + why, error);
  };
  while (!client.answered()) {
    if (!client.running()) fail(ECHILD, "the SMB client process has ended");
    if (host_.now() >= end) {
      client.kill();
      fail(ETIMEDOUT, "no answer within the time limit");
    }
    const std::uint32_t seen = board_.answers().load(std::memory_order_acquire);
    if (!client.answered()) wait_while(board_.answers(), seen, kLook);
  }
  const Mailbox& box = client.mailbox();
  client.clear();
  if (box.result >= 0) return;
  const int error = static_cast<int>(-box.result);
  fail(error, box.words[0] == '\0' ? std::strerror(error) : box.words);
}

Queue::Slot& Queue::take(std::uint32_t tag) noexcept {
  Slot& slot = slots_[tag];
  slot.busy = true;
  slot.since = host_.now();
  ++in_flight_;
  return slot;
}

std::int32_t Queue::submit(std::span<const dp_io> ios) noexcept {
  std::int32_t taken = 0;
  for (const dp_io& io : ios) {
    if (in_flight_ + ready_.size() >= slots_.size()) break;
    Slot& slot = take(io.tag);
    slot.io = io;
    slot.is_name = false;
    ++taken;
    if (const int fault = start(io); fault != 0) finish(io.tag, fault);
  }
  return taken;
}

// 0 or a negative errno.
int Queue::start(const dp_io& io) noexcept {
  if (io.target >= targets_.size()) return -EINVAL;
  const Target& target = targets_[io.target];
  if (target.folder) return -EISDIR;
  if (io.op != DP_OP_READ && io.op != DP_OP_WRITE) return -ENOTSUP;
  if (io.op == DP_OP_WRITE && !target.writable) return -EBADF;
  const Client& client = clients_[io.tag];
  if (client.room().size() < io.length) return -EINVAL;
  if (!client.known()) return -ENOTCONN;
  Mailbox& box = client.mailbox();
  box.file = target.file;
  box.offset = io.offset;
  box.length = io.length;
  if (io.op == DP_OP_WRITE) std::memcpy(client.room().data(), io.data, io.length);
  client.ask(io.op == DP_OP_WRITE ? Ask::write : Ask::read);
  return 0;
}

void Queue::finish(std::uint32_t tag, std::int64_t result) noexcept {
  slots_[tag].busy = false;
  --in_flight_;
  dp_done done{host_.now(), result, tag, 0};
  if (result < 0) {
    done.result = -std::int64_t{code_of(static_cast<int>(-result))};
    done.os_code = static_cast<std::uint32_t>(-result);
  }
  ready_.push_back(done);
}

void Queue::collect() noexcept {
  for (std::uint32_t tag = 0; tag < slots_.size(); ++tag) {
    const Slot& slot = slots_[tag];
    if (!slot.busy || !clients_[tag].answered()) continue;
    const std::int64_t result = take_answer(slot, clients_[tag]);
    clients_[tag].clear();
    finish(tag, result);
  }
  look_after();
}

std::int64_t Queue::take_answer(const Slot& slot, const Client& client) noexcept {
  const Mailbox& box = client.mailbox();
  if (slot.is_name) return name_answer(slot.name, client);
  if (slot.io.op == DP_OP_READ && box.result > 0) {
    const std::uint64_t moved = std::min<std::uint64_t>(static_cast<std::uint64_t>(box.result), slot.io.length);
    std::memcpy(slot.io.data, client.room().data(), moved);
  }
  return box.result;
}

// What will have no answer: its time is over, or its process has ended.
void Queue::look_after() noexcept {
  const std::uint64_t now = host_.now();
  if (in_flight_ == 0 || now < host_.after(looked_, kLook)) return;
  looked_ = now;
  for (std::uint32_t tag = 0; tag < slots_.size(); ++tag) {
    if (!slots_[tag].busy || clients_[tag].answered()) continue;
    if (!clients_[tag].running()) {
      finish(tag, -ENOTCONN);
    } else if (now >= host_.after(slots_[tag].since, timeout_ + kSlack)) {
      clients_[tag].kill();
      finish(tag, -ETIMEDOUT);
    }
  }
}

std::int32_t Queue::reap(std::span<dp_done> done, std::uint32_t min, std::uint64_t timeout_ns) noexcept {
  const std::size_t wanted = std::min<std::size_t>(min, done.size());
  const std::uint64_t deadline = host_.after(host_.now(), timeout_ns);
  for (bool waits = true; waits;) {
    const std::uint32_t seen = board_.answers().load(std::memory_order_acquire);
    collect();
    const std::uint64_t now = host_.now();
    waits = ready_.size() < wanted && now < deadline;
    if (!waits) break;
    if (in_flight_ == 0) {
      if (ready_.empty()) host_.wait_until(deadline);
      break;
    }
    const double left = static_cast<double>(deadline - now) / static_cast<double>(host_.ticks_per_second());
    wait_while(board_.answers(), seen, left > 0.1 ? kLook : static_cast<std::uint64_t>(left * 1e9));
  }
  const std::size_t count = std::min(done.size(), ready_.size());
  std::copy_n(ready_.begin(), count, done.begin());
  ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(count));
  return static_cast<std::int32_t>(count);
}

void Queue::target_info(std::uint32_t target, dp_target_info& info) {
  const std::string text = "SMB share " + place() + (user_.empty() ? " as a guest, " : " as " + user_ + ", ") +
                           std::to_string(clients_.size()) +
                           (clients_.size() == 1 ? " connection, " : " connections, ") +
                           "libsmbclient " DISKPROOF_LIBSMBCLIENT_VERSION;
  dp::copy_text(info.description, text);
  if (targets_.at(target).folder) return;
  Client& client = clients_.front();
  client.mailbox().file = targets_[target].file;
  client.ask(Ask::look);
  await(client, "looking at " + place() + "/" + targets_[target].path);
  info.size = client.mailbox().size;
  info.file_id = client.mailbox().id;
}

}  // namespace smb
