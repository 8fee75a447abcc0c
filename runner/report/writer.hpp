// One report on disk: a format and the file it goes to, opened before the run and replaced after every phase.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include "report/run_report.hpp"
#include "support/atomic_file.hpp"

namespace diskproof {

class ReportFile {
 public:
  using Format = std::function<std::string(const RunReport&)>;

  // Throws Error{failed} at once when `path` cannot be written.
  ReportFile(std::filesystem::path path, Format format) : file_(std::move(path)), format_(std::move(format)) {}

  void write(const RunReport& report) { file_.replace(format_(report)); }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return file_.target(); }

 private:
  AtomicFile file_;
  Format format_;
};

}  // namespace diskproof
