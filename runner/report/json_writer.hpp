// result.json, as schemas/result.schema.json describes it: everything that is needed to write every report again.
#pragma once

#include <string>

namespace diskproof {

struct RunReport;

std::string to_result_json(const RunReport& report);

}  // namespace diskproof
