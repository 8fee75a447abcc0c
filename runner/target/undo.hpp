// Takes back the steps of preparation, or finds that there is nothing to take back. Only what the run itself made is
// touched: a name whose file is another one than recorded is left alone. Doing it twice does no harm.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "target/journal.hpp"
#include "target/step_report.hpp"

namespace diskproof {

std::string undo_name(const UndoStep& step);  // "unmount /x", "remove /y", "leave /z"

// Owed manifests, then the steps, last first; never throws, a failure is its report's outcome. Steps of `tainted`
// disks, and those that may be undone later, stay in the journal; the run's folder is removed when none does.
// `open_url` reaches what was made below URLs; without it those steps stay.
std::vector<StepReport> undo_all(Journal& journal, const std::set<std::string>& tainted,
                                 const UrlOpener& open_url = {});

}  // namespace diskproof
