// One call per kind.
#include "support/process.hpp"
#include "target/device_settings_linux.hpp"
#include "target/filesystem_steps_linux.hpp"
#include "target/loop_device_linux.hpp"
#include "target/throttle.hpp"
#include "target/undo_device.hpp"

namespace diskproof {
namespace {

// Whoever set it to something else since wants it so.
void restore_setting(const UndoStep& step) {
  if (look_at(step.path).type == FileType::missing) return;  // the device is gone
  if (read_setting(step.path) == step.set) write_setting(step.path, step.value);
}

}  // namespace

void undo_device_step(const UndoStep& step, const JournalHeader& header) {
  if (header.process.boot_id != current_process().boot_id) return;
  switch (step.kind) {
    case UndoKind::unmount:
      return unmount(step.path);
    case UndoKind::detach_loop:
      detach_loops(step.value);
      return;
    case UndoKind::restore_setting:
      return restore_setting(step);
    default:
      return remove_throttle(step.path);
  }
}

}  // namespace diskproof
