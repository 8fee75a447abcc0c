// I/O at depth: each tag is one request to the server, or several where the server moves less than it was asked for.
#include "nfs_queue_linux.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <string>
#include <sys/stat.h>

namespace nfs {
namespace {

constexpr std::uint64_t kLook = 100'000'000;  // ns between two looks of libnfs at its time limits

// Most bytes that one request asks for, by what the server said when it was mounted; NFSv4 asks nothing.
std::string transfer_text(std::uint64_t most) { return most == 0 ? "unknown" : std::to_string(most); }

void refuse_long_writes(const Url& url, const dp_queue_params& params) {
  const std::span targets(params.targets, params.target_count);
  const bool writes = std::ranges::any_of(targets, [](const dp_target& one) { return one.flags & DP_TARGET_WRITE; });
  const std::uint64_t longest = longest_write(url.version);
  if (!writes || longest == 0 || params.max_length <= longest) return;
  throw dp::EngineError(DP_ENOTSUP, std::string(library_name()) + " cannot write more than " + std::to_string(longest) +
                                        " bytes in one NFSv4 request, and writes of " +
                                        std::to_string(params.max_length) +
                                        " are asked for; use version=3 in the URL, or an engine built with libnfs 5");
}

}  // namespace

Queue::Queue(Engine& engine, const dp_queue_params& params) : host_(engine.host), slots_(params.depth) {
  const std::span targets(params.targets, params.target_count);
  if (targets.empty()) throw dp::EngineError(DP_EINVAL, "there is no target");
  url_ = parse_url(targets.front().spec);
  refuse_long_writes(url_, params);
  ready_.reserve(params.depth);
  for (std::uint32_t tag = 0; tag < params.depth; ++tag) slots_[tag].queue = this, slots_[tag].tag = tag;
  lines_.resize(std::min(engine.connections, params.depth));
  try {
    for (Line& line : lines_) {
      const Place* place = &line == lines_.data() ? nullptr : &lines_.front().connection->place();
      line.connection = std::make_unique<Connection>(url_, engine.policy, place);
      open_targets(line, targets);
    }
  } catch (...) {
    for (Line& line : lines_) close_targets(line);
    throw;
  }
}

Queue::~Queue() {
  for (Line& line : lines_) close_targets(line);
}

void Queue::open_targets(Line& line, std::span<const dp_target> targets) {
  const Place& place = line.connection->place();
  targets_.clear();
  for (const dp_target& target : targets) {
    const Url url = parse_url(target.spec);
    if (!url.same_share(url_)) throw dp::EngineError(DP_EINVAL, "the targets of a queue are not on one share");
    Target& made = targets_.emplace_back();
    made.path = url.inner.empty() ? place.path : place.folder() + "/" + url.inner;
    made.writable = (target.flags & DP_TARGET_WRITE) != 0;
    made.folder = url.inner.empty() && place.is_folder;
    const bool durable = (target.flags & (DP_TARGET_DSYNC | DP_TARGET_SYNC)) != 0;
    const int flags = (made.writable ? O_RDWR : O_RDONLY) | (durable ? O_SYNC : 0);
    line.files.push_back(made.folder ? nullptr : line.connection->open(made.path, flags));
  }
}

void Queue::close_targets(Line& line) noexcept {
  for (nfsfh* file : line.files) {
    if (file != nullptr) line.connection->close(file);
  }
}

Queue::Slot& Queue::take(std::uint32_t tag, Line& line) noexcept {
  Slot& slot = slots_[tag];
  slot.line = &line;
  slot.busy = true;
  slot.moved = 0;
  ++line.in_flight;
  ++in_flight_;
  return slot;
}

std::int32_t Queue::submit(std::span<const dp_io> ios) noexcept {
  std::int32_t taken = 0;
  for (const dp_io& io : ios) {
    if (in_flight_ + ready_.size() >= slots_.size()) break;
    Slot& slot = take(io.tag, lines_[io.tag % lines_.size()]);
    slot.io = io;
    ++taken;
    if (const int fault = check(io); fault != 0) {
      finish(slot, fault);
    } else {
      go_on(slot);
    }
  }
  flush();
  return taken;
}

// What the library would not notice: 0 or a negative errno.
int Queue::check(const dp_io& io) const noexcept {
  if (io.target >= targets_.size()) return -EINVAL;
  const Target& target = targets_[io.target];
  if (target.folder) return -EISDIR;
  switch (io.op) {
    case DP_OP_READ:
    case DP_OP_FSYNC:
    case DP_OP_FDATASYNC:
      return 0;
    case DP_OP_WRITE:
      return target.writable ? 0 : -EBADF;
    default:
      return -ENOTSUP;
  }
}

// Asks for what is left of the slot's I/O.
void Queue::go_on(Slot& slot) noexcept {
  const dp_io& io = slot.io;
  if (slot.line->connection->lost()) return finish(slot, -ENOTCONN);
  nfs_context* context = slot.line->connection->context();
  nfsfh* file = slot.line->files[io.target];
  char* data = static_cast<char*>(io.data) + slot.moved;
  const std::uint64_t offset = io.offset + slot.moved, length = io.length - slot.moved;
  int started = 0;
  if (io.op == DP_OP_READ) {
    started = start_read(context, file, data, length, offset, &io_done, &slot);
  } else if (io.op == DP_OP_WRITE) {
    started = start_write(context, file, data, length, offset, &io_done, &slot);
  } else {
    started = nfs_fsync_async(context, file, &io_done, &slot);
  }
  if (started != 0) finish(slot, -EIO);
}

void Queue::io_done(int status, nfs_context* context, void* data, void* argument) noexcept {
  Slot& slot = *static_cast<Slot*>(argument);
  if (!slot.busy) return;  // of a connection that was given up
  const dp_io& io = slot.io;
  if (status < 0) return slot.queue->finish(slot, cause_of(status, context));
  if (io.op != DP_OP_READ && io.op != DP_OP_WRITE) return slot.queue->finish(slot, 0);
  const auto moved = std::min(static_cast<std::uint32_t>(status), io.length - slot.moved);
  if (!kReadsInPlace && io.op == DP_OP_READ && moved > 0)
    std::memcpy(static_cast<char*>(io.data) + slot.moved, data, moved);
  slot.moved += moved;
  if (moved == 0 || slot.moved == io.length) return slot.queue->finish(slot, static_cast<int>(slot.moved));
  slot.queue->go_on(slot);  // the server moves less in one request, or the file ends here
}

void Queue::finish(Slot& slot, int status) noexcept {
  slot.busy = false;
  --slot.line->in_flight;
  --in_flight_;
  dp_done done{host_.now(), status, slot.tag, 0};
  if (status < 0) {
    done.result = -std::int64_t{code_of(status)};
    done.os_code = static_cast<std::uint32_t>(-status);
  }
  ready_.push_back(done);
}

std::int32_t Queue::reap(std::span<dp_done> done, std::uint32_t min, std::uint64_t timeout_ns) noexcept {
  const std::size_t wanted = std::min<std::size_t>(min, done.size());
  if (ready_.size() >= wanted) {
    if (ready_.size() < done.size()) pump(0);
  } else {
    const std::uint64_t deadline = host_.after(host_.now(), timeout_ns);
    for (std::uint64_t now = host_.now(); ready_.size() < wanted && now < deadline; now = host_.now()) {
      if (in_flight_ == 0) {
        if (ready_.empty()) host_.wait_until(deadline);
        break;
      }
      const double left = static_cast<double>(deadline - now) / static_cast<double>(host_.ticks_per_second());
      pump(left > 0.1 ? kLook : static_cast<std::uint64_t>(left * 1e9));
    }
  }
  const std::size_t count = std::min(done.size(), ready_.size());
  std::copy_n(ready_.begin(), count, done.begin());
  ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(count));
  return static_cast<std::int32_t>(count);
}

// What was queued goes out now, as far as the sockets take it.
void Queue::flush() noexcept {
  for (Line& line : lines_) {
    if (line.in_flight > 0 && !line.connection->lost() && (nfs_which_events(line.connection->context()) & POLLOUT) != 0)
      serve(line, POLLOUT);
  }
}

// Waits until a socket moves, and moves it; libnfs gets to look at its time limits each time.
void Queue::pump(std::uint64_t wait_ns) noexcept {
  std::array<pollfd, kMostConnections> entries{};
  nfds_t count = 0;
  for (const Line& line : lines_) {
    pollfd& entry = entries[count++];
    entry.fd = -1;
    if (line.connection->lost()) continue;
    entry.fd = nfs_get_fd(line.connection->context());
    entry.events = static_cast<short>(nfs_which_events(line.connection->context()));
  }
  const timespec wait{static_cast<time_t>(wait_ns / 1'000'000'000), static_cast<long>(wait_ns % 1'000'000'000)};
  const int moving = ::ppoll(entries.data(), count, &wait, nullptr);
  for (nfds_t i = 0; i < count; ++i) {
    Line& line = lines_[i];
    if (line.in_flight > 0) serve(line, moving > 0 ? entries[i].revents : 0);
  }
}

void Queue::serve(Line& line, int events) noexcept {
  const std::size_t before = ready_.size();
  if (!line.connection->lost() && !line.connection->serve(events)) lose(line, before);
}

// libnfs has told some of what was in flight that it failed, as a fault of the server; the rest will never hear.
void Queue::lose(Line& line, std::size_t told) noexcept {
  host_.log(DP_LOG_ERROR, line.connection->last_words());
  for (std::size_t i = told; i < ready_.size(); ++i) {
    if (ready_[i].result == -DP_EIO) ready_[i].result = -DP_ENODEV;
  }
  for (Slot& slot : slots_) {
    if (slot.busy && slot.line == &line) finish(slot, -ENOTCONN);
  }
}

void Queue::target_info(std::uint32_t target, dp_target_info& info) {
  Connection& connection = *lines_.front().connection;
  const Place& place = connection.place();
  const std::string text = protocol_text(url_) + ", export " + place.mounted + ", transfers of at most " +
                           transfer_text(nfs_get_readmax(connection.context())) + " bytes read and " +
                           transfer_text(nfs_get_writemax(connection.context())) + " written, " +
                           std::to_string(lines_.size()) + (lines_.size() == 1 ? " connection, " : " connections, ") +
                           library_name();
  dp::copy_text(info.description, text.c_str());
  if (targets_.at(target).folder) return;
  const nfs_stat_64 status = connection.stat(lines_.front().files.at(target));
  info.size = status.nfs_size;
  info.volume_id = status.nfs_dev;
  info.file_id = status.nfs_ino;
}

}  // namespace nfs
