// The tree into a Job, one function per struct. Only what a tree alone can tell is checked here: which keys are given.
#pragma once

#include "job/job.hpp"
#include "job/node.hpp"
#include "job/value_reader.hpp"

namespace diskproof {

Job parse_job(const Node& root, ParseContext& context);

}  // namespace diskproof
