// result.json read back into the model.
#pragma once

#include <string>
#include <string_view>

#include "report/run_report.hpp"

namespace diskproof {

// `source` names the text in errors. Strict and safe on hostile input: whatever to_result_json does not write throws
// Error{failed} that names the field.
RunReport from_result_json(std::string_view text, const std::string& source);

}  // namespace diskproof
