// Groups of phases: `parallel`, and `rounds` with `phases`.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "job/job.hpp"
#include "job/node.hpp"
#include "job/value_reader.hpp"

namespace diskproof {

// What phases inherit from; either may be nullptr.
struct JobParts {
  const Node* disks = nullptr;
  const Node* defaults = nullptr;

  // The disk that a phase of a group names, or inherits; nullptr: none. `group` may be nullptr.
  [[nodiscard]] const Node* disk_of(const Node& phase, const Node* group) const;
};

// Called for each phase of the group with everything inherited, before it is read.
using FinishNode = std::function<void(Node& phase, const Node* disk, const std::string& path)>;

bool is_group_key(std::string_view key);
bool is_group(const Node& phase);

// Adds the group and its phases to the job.
void parse_group(const Node& own, const std::string& path, const JobParts& parts, const FinishNode& finish, Job& job,
                 ParseContext& context);

}  // namespace diskproof
