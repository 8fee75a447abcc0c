// Nothing of the kind is made here.
#include "support/error.hpp"
#include "target/undo_device.hpp"

namespace diskproof {

void undo_device_step(const UndoStep& step, const JournalHeader&) {
  throw Error(ErrorKind::failed, step.path + ": this step was made on another system");
}

}  // namespace diskproof
