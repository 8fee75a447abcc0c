// Takes back the steps that are no files: mounts, loop devices, settings of devices, groups of the I/O controller. What
// was made is found by what the run called it, so that a kill between making and recording loses nothing.
#pragma once

#include "target/journal.hpp"

namespace diskproof {

constexpr bool is_of_device(UndoKind kind) { return kind >= UndoKind::unmount; }

// After a restart of the system none of them is there any more. Throws Error{failed} for what cannot be undone now.
void undo_device_step(const UndoStep& step, const JournalHeader& header);

}  // namespace diskproof
