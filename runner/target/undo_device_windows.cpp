// Of devices only mounts are undone here.
#include "support/error.hpp"
#include "target/filesystem_steps_windows.hpp"
#include "target/undo_device.hpp"

namespace diskproof {

void undo_device_step(const UndoStep& step, const JournalHeader&) {
  if (step.kind == UndoKind::unmount) return unmount(step.path);
  throw Error(ErrorKind::failed, step.path + ": this step was made on another system");
}

}  // namespace diskproof
