// Takes back one step of preparation, or finds that there is nothing to take back. Only what the run itself made is
// touched: a name whose file has another device or inode than recorded is left alone. Doing it twice does no harm.
#pragma once

#include "target/journal.hpp"
#include "target/step_report.hpp"

namespace diskproof {

// Never throws; a failure is the report's outcome. `run_started`: JournalHeader::started.
StepReport undo_step(const UndoStep& step, std::int64_t run_started);

}  // namespace diskproof
