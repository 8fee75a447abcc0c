// The job schema that is built into the program, and read access to any schema of its kind.
#pragma once

#include <string>
#include <string_view>

#include "job/node.hpp"

namespace diskproof {

// schemas/job.schema.json, byte for byte.
std::string_view job_schema_text();

// A JSON Schema (draft-07, the keywords of kSchemaKeywords) as a tree of the kind that job files become.
class Schema {
 public:
  // Throws Error when the text is no schema.
  explicit Schema(std::string_view text);

  [[nodiscard]] const Node& root() const { return root_; }
  // The schema itself, or what its local $ref points to, through any number of steps.
  [[nodiscard]] const Node& resolve(const Node& schema) const;
  // Marked `x-available: later`, itself or on the way of its $ref.
  [[nodiscard]] bool is_later(const Node& schema) const;
  // "a size such as 4KiB", "one of read, write", "a map".
  [[nodiscard]] std::string describe(const Node& schema) const;

 private:
  Node root_;
};

// The job schema, read on first use.
const Schema& job_schema();

}  // namespace diskproof
