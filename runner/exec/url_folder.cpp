// Each operation is submitted and awaited; what is written to a file goes through a queue of its own.
#include "exec/url_folder.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#include "engine/code.hpp"
#include "exec/buffer_pool.hpp"
#include "support/clock.hpp"
#include "support/error.hpp"
#include "support/url_text.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kSlice = 100'000'000;                // ns of one reap
constexpr std::uint64_t kRequestPatience = 660'000'000'000;  // ns: no engine's own limit is longer
constexpr std::uint64_t kSmallIo = 2048, kLargeIo = 65'536;  // bytes of one I/O: some engines move no more than 3.8 kB

QueueSpec names_only(const std::string& url) {
  return {.depth = 1, .max_length = 0, .targets = {{.spec = url, .size = 0}}, .regions = {}};
}

dp_done await(const Queue& queue) {
  const std::uint64_t end = monotonic_ns() + kRequestPatience;
  dp_done done{};
  while (monotonic_ns() < end) {
    const std::int32_t count = queue.calls().reap({&done, 1}, 1, kSlice);
    if (count == 1) return done;
    if (count < 0) break;
  }
  throw Error(ErrorKind::failed, "the engine lost its queue");
}

// An open file of some bytes, moved a block at a time.
class Content {
 public:
  Content(Engine& engine, const std::string& url, std::uint64_t size, std::uint32_t flags)
      : url_(url),
        block_(size <= kSmallIo ? kSmallIo : kLargeIo),
        buffers_(1, block_),
        queue_(engine, {.depth = 1,
                        .max_length = block_,
                        .targets = {{.spec = url, .size = size, .flags = flags}},
                        .regions = buffers_.regions()}) {}

  // Bytes moved.
  std::uint64_t move(dp_op op, std::uint64_t offset, std::uint64_t length) {
    dp_io io{};
    io.op = static_cast<std::uint8_t>(op);
    io.offset = offset;
    io.length = static_cast<std::uint32_t>(length);
    if (length > 0) io.data = buffers_.buffer(0);
    if (queue_.calls().submit({&io, 1}) != 1) throw Error(ErrorKind::failed, "the engine takes no I/O on " + url_);
    const dp_done done = await(queue_);
    if (done.result >= 0) return static_cast<std::uint64_t>(done.result);
    throw Error(ErrorKind::failed,
                fmt::format("{} {}: {} ({}, system code {})", op == DP_OP_READ ? "reading" : "writing", url_,
                            code_text(done.result), code_name(done.result), done.os_code));
  }
  [[nodiscard]] char* data() const { return reinterpret_cast<char*>(buffers_.buffer(0)); }
  [[nodiscard]] std::uint64_t block() const { return block_; }

 private:
  std::string url_;
  std::uint64_t block_;
  BufferPool buffers_;
  Queue queue_;
};

}  // namespace

UrlFolder::UrlFolder(Engine& engine, const std::string& url)
    : engine_(engine), url_(url), queue_(engine, names_only(url)) {}

std::int64_t UrlFolder::run(dp_name_op_kind kind, const std::string& path, const std::string& to, std::uint64_t number,
                            std::uint8_t flags) {
  dp_name_op op{};
  op.op = static_cast<std::uint8_t>(kind);
  op.path = path.c_str();
  if (!to.empty()) op.path2 = to.c_str();
  op.out = out_.data();
  op.out_len = static_cast<std::uint32_t>(out_.size());
  op.offset_or_handle = number;
  op.flags = flags;
  const std::int32_t taken = queue_.calls().submit_names({&op, 1});
  if (taken == -DP_ENOTSUP)
    throw Error(ErrorKind::unavailable,
                fmt::format("engine {} has no operations on names, which {} needs", engine_.library().name(), url_));
  if (taken != 1) throw Error(ErrorKind::failed, "the engine takes no operation on names of " + url_);
  const dp_done done = await(queue_);
  os_code_ = done.os_code;
  return done.result;
}

void UrlFolder::must(std::int64_t result, const char* tried, const std::string& path) const {
  if (result >= 0) return;
  throw Error(ErrorKind::failed, fmt::format("{} {}: {} ({}, system code {})", tried, url_of(url_, path),
                                             code_text(result), code_name(result), os_code_));
}

// What make_file opened.
void UrlFolder::close(const std::string& path) {
  std::uint64_t handle = 0;
  std::memcpy(&handle, out_.data(), sizeof handle);
  must(run(DP_NAME_CLOSE, path, "", handle), "closing", path);
}

UrlFolder::Status UrlFolder::look_at(const std::string& path) {
  const std::int64_t result = run(DP_NAME_STAT, path);
  if (result == -DP_ENOENT) return {};
  must(result, "looking at", path);
  dp_name_stat found{};
  std::memcpy(&found, out_.data(), sizeof found);
  return {true, found.is_directory != 0, found.size, found.file_id};
}

std::vector<std::string> UrlFolder::names_in(const std::string& path) {
  const std::int64_t length = run(DP_NAME_READDIR, path);
  must(length, "listing", path);
  std::vector<std::string> names;
  for (const char* name = out_.data(); name < out_.data() + length; name += names.back().size() + 1)
    names.emplace_back(name);
  return names;
}

bool UrlFolder::make_folder(const std::string& path) {
  const std::int64_t result = run(DP_NAME_MKDIR, path);
  if (result == -DP_EEXIST) return false;
  must(result, "creating the folder", path);
  return true;
}

bool UrlFolder::make_file(const std::string& path) {
  const std::int64_t result = run(DP_NAME_CREATE, path, "", 0, DP_NAME_EXCLUSIVE);
  if (result == -DP_EEXIST) return false;
  must(result, "creating", path);
  close(path);
  return true;
}

void UrlFolder::set_size(const std::string& path, std::uint64_t size) {
  must(run(DP_NAME_TRUNCATE, path, "", size), "setting the size of", path);
}

void UrlFolder::rename(const std::string& from, const std::string& to) {
  must(run(DP_NAME_RENAME, from, to), "renaming", from);
}

bool UrlFolder::remove_file(const std::string& path) {
  const std::int64_t result = run(DP_NAME_UNLINK, path);
  if (result == -DP_ENOENT) return false;
  must(result, "removing", path);
  return true;
}

bool UrlFolder::remove_folder(const std::string& path) {
  const std::int64_t result = run(DP_NAME_RMDIR, path);
  if (result == -DP_ENOENT || result == -DP_ENOTEMPTY || result == -DP_EEXIST) return false;
  must(result, "removing the folder", path);
  return true;
}

void UrlFolder::remove_tree(const std::string& path) {
  const Status status = look_at(path);
  if (!status.exists) return;
  if (!status.folder) {
    remove_file(path);
    return;
  }
  for (const std::string& name : names_in(path)) remove_tree(path + "/" + name);
  remove_folder(path);
}

void UrlFolder::write(const std::string& path, std::string_view text) {
  Content content(engine_, url_of(url_, path), text.size(), DP_TARGET_WRITE);
  for (std::uint64_t at = 0; at < text.size();) {
    const std::uint64_t length = std::min<std::uint64_t>(content.block(), text.size() - at);
    std::memcpy(content.data(), text.data() + at, length);
    const std::uint64_t moved = content.move(DP_OP_WRITE, at, length);
    if (moved == 0) throw Error(ErrorKind::failed, "writing " + url_of(url_, path) + ": the server takes nothing");
    at += moved;
  }
  if (engine_.library().manifest().operations >> DP_OP_FSYNC & 1) content.move(DP_OP_FSYNC, 0, 0);
}

std::string UrlFolder::read(const std::string& path, std::uint64_t size) {
  Content content(engine_, url_of(url_, path), size, 0);
  std::string text;
  while (text.size() < size) {
    const std::uint64_t left = std::min<std::uint64_t>(content.block(), size - text.size());
    const std::uint64_t moved = content.move(DP_OP_READ, text.size(), left);
    if (moved == 0) break;
    text.append(content.data(), moved);
  }
  return text;
}

}  // namespace diskproof
