// `limits: {table: FILE, row: {…}}`: the row's cells take the place of the two keys, as if they had been written there,
// so that everything after this stage knows limits only.
//
// A table is text with tabs: `#` lines are comments, the first other line names the columns. `read.iops`,
// `total.bandwidth` and the like are limits, `instance.total.iops` is one of the group `instance`; every other column
// is a key. An empty cell is no limit.
#pragma once

#include <string>

#include "job/diagnostic.hpp"
#include "job/node.hpp"

namespace diskproof {

// Everywhere below `root`. Tables are looked up beside `job_file`. What is written in the job beside a table wins over
// the cell. Faults are reported at the keys `table` and `row`; the limits stay without the table's then.
void expand_limit_tables(Node& root, const std::string& job_file, Diagnostics& diagnostics);

}  // namespace diskproof
