// Lock files "device-8-17.lock", each with the name of the last run's folder in it.
#include "target/device_lock.hpp"

#include <fmt/format.h>

#include "support/error.hpp"
#include "support/path_text.hpp"
#include "target/journal.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kMaxNameBytes = 4096;

OpenFile open_lock(const std::string& path) {
  if (look_at(path).type == FileType::missing) {
    try {
      return create_file(path);
    } catch (const Error&) {
      // Another run was quicker; what else stands in the way is told by the next line.
    }
  }
  return open_regular_file(path);
}

Error in_use(const std::string& what) {
  return {ErrorKind::refused, what + " is in use by another run of diskproof; wait for its end"};
}

// A journal that cannot be read is of none, as `cleanup` tells.
bool is_under_way(const std::string& folder) {
  try {
    return is_running(read_journal(journal_path(folder)).header.process);
  } catch (const Error&) {
    return false;
  }
}

// A run gives its locks back before it undoes what it did.
void refuse_unfinished(const std::string& root, const std::string& run, const std::string& what) {
  const std::string folder = path_in(root, run);
  if (run.empty() || look_at_folder(folder).type == FileType::missing || !journal_has_begun(folder)) return;
  if (is_under_way(folder)) throw in_use(what);
  throw Error(ErrorKind::refused, fmt::format("{} was in use by the run {}, which was cut off; finish it with "
                                              "`diskproof cleanup`",
                                              what, run));
}

OpenFile take(const std::string& folder, const std::string& disk, const DeviceFacts& device) {
  const std::string root = folder_of(folder), run = text_of(path_from(folder).filename());
  const std::string path = path_in(root, fmt::format("device-{}-{}.lock", device.number.major, device.number.minor));
  const std::string what = fmt::format("disk {}: {}", disk, device.path);
  OpenFile lock = open_lock(path);
  if (!lock.try_lock()) throw in_use(what);
  const std::string last = read_small_file(path, kMaxNameBytes).value_or("");
  if (last == run) return lock;
  refuse_unfinished(root, last, what);
  open_to_append(path, 0).append_durably(run, path);
  return lock;
}

}  // namespace

DeviceLock::DeviceLock(const std::string& folder, const std::string& disk, const DeviceFacts& device,
                       const DeviceTable& table) {
  locks_.push_back(take(folder, disk, device));
  for (const DeviceFacts* partition : table.partitions_of(device)) locks_.push_back(take(folder, disk, *partition));
}

}  // namespace diskproof
