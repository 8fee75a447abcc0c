// The rules between keys: what no machine could run, or what would not measure what it says. Only the job is looked
// at, never the machine.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "job/job.hpp"
#include "job/value_reader.hpp"

namespace diskproof {

// Adds to context.diagnostics. Rules about values that could not be read stay silent.
void check_job(const Job& job, ParseContext& context);

// "read.iops", "instance.total.iops"…: the limits by their key under `limits`.
std::map<std::string, double> flat_limits(const std::vector<LimitGroup>& groups);

// The part about a disk.
void check_disk_rules(const Job& job, const Disk& disk, ParseContext& context);

// The parts about one phase: what it works on and how it ends, how its load is made, and how it repeats.
void check_phase(const Job& job, const Phase& phase, ParseContext& context);
void check_load(const Job& job, const Phase& phase, ParseContext& context);

// The part about a group.
void check_group(const Job& job, const Group& group, ParseContext& context);

// The part about a phase's repetition.
void check_repeat(const Job& job, const Phase& phase, ParseContext& context);

// The part about what it stamps or checks.
void check_verify(const Job& job, const Phase& phase, ParseContext& context);

// The part about what surrounds it.
void check_phase_order(const Job& job, const Phase& phase, ParseContext& context);

}  // namespace diskproof
