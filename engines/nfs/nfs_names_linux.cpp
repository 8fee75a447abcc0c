// Operations on names, each a request to the server or a short chain of them.
#include <cerrno>
#include <cstring>
#include <string_view>
#include <sys/stat.h>

#include "nfs_queue_linux.hpp"

namespace nfs {
namespace {

constexpr int kFileMode = 0600, kFolderMode = 0700;

template <class Value>
int give_out(const dp_name_op& op, const Value& value) noexcept {
  if (op.out == nullptr || op.out_len < sizeof value) return -EINVAL;
  std::memcpy(op.out, &value, sizeof value);
  return 0;
}

// Names separated by NULs, and their bytes.
int list(nfs_context* context, nfsdir* folder, const dp_name_op& op) noexcept {
  std::uint32_t used = 0;
  while (const nfsdirent* entry = nfs_readdir(context, folder)) {
    const std::string_view name = entry->name;
    if (name == "." || name == "..") continue;
    if (op.out == nullptr || name.size() + 1 > op.out_len - used) return -EINVAL;
    std::memcpy(static_cast<char*>(op.out) + used, name.data(), name.size());
    static_cast<char*>(op.out)[used + name.size()] = '\0';
    used += static_cast<std::uint32_t>(name.size() + 1);
  }
  return static_cast<int>(used);
}

bool is_complete(const dp_name_op& op) noexcept {
  const bool has_path = op.path != nullptr || op.op == DP_NAME_CLOSE;
  return op.op <= DP_NAME_SYNC && has_path && (op.op != DP_NAME_RENAME || op.path2 != nullptr);
}

}  // namespace

std::int32_t Queue::submit_names(std::span<const dp_name_op> ops) noexcept {
  std::int32_t taken = 0;
  for (const dp_name_op& op : ops) {
    if (in_flight_ + ready_.size() >= slots_.size()) break;
    Slot& slot = take(op.tag, lines_.front());
    slot.name = op;
    ++taken;
    start_name(slot);
  }
  flush();
  return taken;
}

void Queue::start_name(Slot& slot) noexcept {
  const Connection& connection = *slot.line->connection;
  if (!is_complete(slot.name)) return finish(slot, -EINVAL);
  if (connection.lost()) return finish(slot, -ENOTCONN);
  try {
    const auto below = [&](const char* path) {
      if (path == nullptr) return std::string();
      return *path == '\0' ? connection.place().path : connection.place().folder() + "/" + path;
    };
    slot.path = below(slot.name.path);
    slot.path2 = below(slot.name.path2);
    if (slot.path.empty()) slot.path = "/";
  } catch (const std::bad_alloc&) {
    return finish(slot, -ENOMEM);
  }
  if (call_name(slot) != 0) finish(slot, -EIO);
}

int Queue::call_name(Slot& slot) noexcept {
  nfs_context* context = slot.line->connection->context();
  const char* path = slot.path.c_str();
  const dp_name_op& op = slot.name;
  switch (op.op) {
    case DP_NAME_CREATE:
      if ((op.flags & DP_NAME_EXCLUSIVE) != 0)
        return nfs_create_async(context, path, O_RDWR | O_CREAT | O_EXCL, kFileMode, &open_done, &slot);
      return nfs_open2_async(context, path, O_RDWR | O_CREAT | O_NOFOLLOW, kFileMode, &open_done, &slot);
    case DP_NAME_OPEN:
      return nfs_open_async(context, path, O_RDONLY | O_NOFOLLOW, &open_done, &slot);
    case DP_NAME_CLOSE:
      return nfs_close_async(context, reinterpret_cast<nfsfh*>(op.offset_or_handle), &name_done, &slot);
    case DP_NAME_STAT:
      return nfs_lstat64_async(context, path, &stat_done, &slot);
    case DP_NAME_TRUNCATE:
      return nfs_truncate_async(context, path, op.offset_or_handle, &name_done, &slot);
    case DP_NAME_UNLINK:
      return nfs_unlink_async(context, path, &name_done, &slot);
    case DP_NAME_RENAME:
      return nfs_rename_async(context, path, slot.path2.c_str(), &name_done, &slot);
    case DP_NAME_MKDIR:
      return nfs_mkdir2_async(context, path, kFolderMode, &name_done, &slot);
    case DP_NAME_RMDIR:
      return nfs_rmdir_async(context, path, &name_done, &slot);
    case DP_NAME_READDIR:
      return nfs_opendir_async(context, path, &list_done, &slot);
    default:
      return nfs_lstat64_async(context, path, &sync_looked, &slot);
  }
}

void Queue::name_done(int status, nfs_context*, void*, void* argument) noexcept {
  Slot& slot = *static_cast<Slot*>(argument);
  if (slot.busy) slot.queue->finish(slot, std::min(status, 0));
}

void Queue::open_done(int status, nfs_context*, void* data, void* argument) noexcept {
  Slot& slot = *static_cast<Slot*>(argument);
  if (!slot.busy) return;
  if (status >= 0) status = give_out(slot.name, static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(data)));
  slot.queue->finish(slot, status);
}

void Queue::stat_done(int status, nfs_context*, void* data, void* argument) noexcept {
  Slot& slot = *static_cast<Slot*>(argument);
  if (!slot.busy) return;
  if (status >= 0) {
    const auto& found = *static_cast<const nfs_stat_64*>(data);
    status = give_out(slot.name, dp_name_stat{found.nfs_size, found.nfs_ino, S_ISDIR(found.nfs_mode) ? 1u : 0u, 0});
  }
  slot.queue->finish(slot, status);
}

void Queue::list_done(int status, nfs_context* context, void* data, void* argument) noexcept {
  Slot& slot = *static_cast<Slot*>(argument);
  if (!slot.busy) return;
  if (status >= 0) {
    auto* folder = static_cast<nfsdir*>(data);
    status = list(context, folder, slot.name);
    nfs_closedir(context, folder);
  }
  slot.queue->finish(slot, status);
}

// A server has made a change of a folder durable before it answers; a file has its data committed.
void Queue::sync_looked(int status, nfs_context* context, void* data, void* argument) noexcept {
  Slot& slot = *static_cast<Slot*>(argument);
  if (!slot.busy) return;
  if (status < 0 || S_ISDIR(static_cast<const nfs_stat_64*>(data)->nfs_mode))
    return slot.queue->finish(slot, std::min(status, 0));
  if (nfs_open_async(context, slot.path.c_str(), O_RDONLY | O_NOFOLLOW, &sync_opened, &slot) != 0)
    slot.queue->finish(slot, -EIO);
}

void Queue::sync_opened(int status, nfs_context* context, void* data, void* argument) noexcept {
  Slot& slot = *static_cast<Slot*>(argument);
  if (!slot.busy) return;
  if (status < 0) return slot.queue->finish(slot, status);
  slot.file = static_cast<nfsfh*>(data);
  if (nfs_fsync_async(context, slot.file, &sync_flushed, &slot) != 0) slot.queue->finish(slot, -EIO);
}

void Queue::sync_flushed(int status, nfs_context* context, void*, void* argument) noexcept {
  Slot& slot = *static_cast<Slot*>(argument);
  if (!slot.busy) return;
  slot.status = std::min(status, 0);
  if (nfs_close_async(context, slot.file, &sync_closed, &slot) != 0) slot.queue->finish(slot, slot.status);
}

void Queue::sync_closed(int status, nfs_context*, void*, void* argument) noexcept {
  Slot& slot = *static_cast<Slot*>(argument);
  if (slot.busy) slot.queue->finish(slot, slot.status < 0 ? slot.status : std::min(status, 0));
}

}  // namespace nfs
