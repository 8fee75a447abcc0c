// One call per kind.
#include "support/error.hpp"
#include "support/process.hpp"
#include "target/device_settings_linux.hpp"
#include "target/filesystem_steps_linux.hpp"
#include "target/loop_device_linux.hpp"
#include "target/run_apart_linux.hpp"
#include "target/throttle.hpp"
#include "target/undo_device.hpp"

namespace diskproof {
namespace {

// Whoever set it to something else since wants it so.
void restore_setting(const UndoStep& step) {
  if (look_at(step.path).type == FileType::missing) return;  // the device is gone
  if (read_setting(step.path) == step.set) write_setting(step.path, step.value);
}

constexpr std::uint64_t kWritePatience = 10'000'000'000;  // ns

void undo(const UndoStep& step) {
  switch (step.kind) {
    case UndoKind::unmount:
      return unmount(step.path);
    case UndoKind::detach_loop:
      detach_loops(step.value, step.path);
      return;
    case UndoKind::restore_setting:
      return restore_setting(step);
    default:
      return remove_throttle(step.path);
  }
}

}  // namespace

void undo_device_step(const UndoStep& step, const JournalHeader& header) {
  if (header.process.boot_id != current_process().boot_id) return;
  const auto action = [&] {
    undo(step);
    return std::string();
  };
  const ApartResult result = run_apart(action, kWritePatience);
  if (result.end == Apart::failed) throw Error(ErrorKind::failed, result.text);
  if (result.end == Apart::hangs) {
    throw Error(ErrorKind::failed, step.path +
                                       ": undoing it hangs, as its device or server does not answer; bring it "
                                       "back and run `diskproof cleanup`");
  }
}

}  // namespace diskproof
