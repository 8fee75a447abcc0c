// The rules between keys: what no machine could run, or what would not measure what it says. Only the job is looked
// at, never the machine.
#pragma once

#include "job/job.hpp"
#include "job/value_reader.hpp"

namespace diskproof {

// Adds to context.diagnostics. Rules about values that could not be read stay silent.
void check_job(const Job& job, ParseContext& context);

// The part about one phase.
void check_phase(const Job& job, std::size_t index, ParseContext& context);

}  // namespace diskproof
