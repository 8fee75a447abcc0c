// Operations on names, each a few requests of its tag's client to the server. Nothing stays open after one: a handle of
// SMB belongs to a connection, and a name in use by another connection could not be removed.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "smb_queue_linux.hpp"

namespace smb {
namespace {

constexpr std::uint64_t kHandle = 1;  // of what create and open have closed again

template <class Value>
int give_out(const dp_name_op& op, const Value& value) noexcept {
  if (op.out == nullptr || op.out_len < sizeof value) return -EINVAL;
  std::memcpy(op.out, &value, sizeof value);
  return 0;
}

int question(std::uint8_t op) noexcept {
  switch (op) {
    case DP_NAME_CREATE:
      return static_cast<int>(Ask::create);
    case DP_NAME_OPEN:
      return static_cast<int>(Ask::touch);
    case DP_NAME_STAT:
      return static_cast<int>(Ask::stat);
    case DP_NAME_TRUNCATE:
      return static_cast<int>(Ask::truncate);
    case DP_NAME_UNLINK:
      return static_cast<int>(Ask::unlink);
    case DP_NAME_RENAME:
      return static_cast<int>(Ask::rename);
    case DP_NAME_MKDIR:
      return static_cast<int>(Ask::make_folder);
    case DP_NAME_RMDIR:
      return static_cast<int>(Ask::remove_folder);
    case DP_NAME_READDIR:
      return static_cast<int>(Ask::list);
    default:
      return -1;
  }
}

}  // namespace

std::int32_t Queue::submit_names(std::span<const dp_name_op> ops) noexcept {
  std::int32_t taken = 0;
  for (const dp_name_op& op : ops) {
    if (in_flight_ + ready_.size() >= slots_.size()) break;
    Slot& slot = take(op.tag);
    slot.name = op;
    slot.is_name = true;
    ++taken;
    if (op.op == DP_NAME_CLOSE) {
      finish(op.tag, op.offset_or_handle == kHandle ? 0 : -EBADF);
    } else if (const int fault = start_name(op); fault != 0) {
      finish(op.tag, fault);
    }
  }
  return taken;
}

// The name that the URL leads to, or one below its folder.
bool Queue::put_path(std::span<char> to, const char* path) const noexcept {
  if (*path == '\0') return put_text(to, url_.path);
  if (folder_.empty()) return put_text(to, path);
  if (!put_text(to, folder_) || folder_.size() + 1 >= to.size()) return false;
  to[folder_.size()] = '/';
  return put_text(to.subspan(folder_.size() + 1), path);
}

int Queue::start_name(const dp_name_op& op) noexcept {
  const int what = question(op.op);
  if (what < 0) return op.op == DP_NAME_SYNC ? -ENOTSUP : -EINVAL;
  if (op.path == nullptr || (op.op == DP_NAME_RENAME && op.path2 == nullptr)) return -EINVAL;
  const Client& client = clients_[op.tag];
  if (!client.known()) return -ENOTCONN;
  Mailbox& box = client.mailbox();
  if (!put_path(box.text, op.path)) return -ENAMETOOLONG;
  if (op.op == DP_NAME_RENAME && !put_path(box.text2, op.path2)) return -ENAMETOOLONG;
  box.flags = (op.flags & DP_NAME_EXCLUSIVE) != 0 ? 1 : 0;
  box.length = op.offset_or_handle;
  client.ask(static_cast<Ask>(what));
  return 0;
}

std::int64_t Queue::name_answer(const dp_name_op& op, const Client& client) noexcept {
  const Mailbox& box = client.mailbox();
  if (box.result < 0) return box.result;
  switch (op.op) {
    case DP_NAME_CREATE:
    case DP_NAME_OPEN:
      return give_out(op, kHandle);
    case DP_NAME_STAT:
      return give_out(op, dp_name_stat{box.size, box.id, box.folder, 0});
    case DP_NAME_READDIR:
      if (op.out == nullptr || static_cast<std::uint64_t>(box.result) > op.out_len) return -EINVAL;
      std::memcpy(op.out, client.room().data(), static_cast<std::size_t>(box.result));
      return box.result;
    default:
      return 0;
  }
}

}  // namespace smb
