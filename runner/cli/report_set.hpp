// All reports of a run: opened before anything is measured, written again after every phase.
#pragma once

#include <string>
#include <vector>

#include "report/writer.hpp"

namespace diskproof {

class ReportSet {
 public:
  // Creates `out_dir`; `junit` is one more place for the JUnit report, empty: none. Throws Error{failed}.
  ReportSet(const std::string& out_dir, const std::string& junit);

  // All of them, also when one fails; the first failure, or empty.
  std::string write(const RunReport& report);

  [[nodiscard]] std::vector<std::string> paths() const;

 private:
  std::vector<ReportFile> files_;
};

}  // namespace diskproof
