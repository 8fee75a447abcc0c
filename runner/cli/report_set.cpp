// result.json and junit.xml in the run's folder, and where else they were asked for.
#include "cli/report_set.hpp"

#include <filesystem>

#include "report/json_writer.hpp"
#include "report/junit_writer.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"
#include "target/reach.hpp"

namespace diskproof {

ReportSet::ReportSet(const std::string& out_dir, const std::string& junit) {
  namespace fs = std::filesystem;
  require_write("--out", out_dir);
  if (!junit.empty()) require_write("the folder of --junit", folder_of(junit));
  std::error_code error;
  fs::create_directories(path_from(out_dir), error);
  if (error) throw Error(ErrorKind::failed, "cannot create the report folder " + out_dir + ": " + error.message());
  files_.emplace_back(path_from(out_dir) / "result.json", to_result_json);
  files_.emplace_back(path_from(out_dir) / "junit.xml", to_junit);
  if (!junit.empty()) files_.emplace_back(path_from(junit), to_junit);
}

std::string ReportSet::write(const RunReport& report) {
  std::string fault;
  for (ReportFile& file : files_) {
    try {
      file.write(report);
    } catch (const Error& error) {
      if (fault.empty()) fault = error.what();
    }
  }
  return fault;
}

std::vector<std::string> ReportSet::paths() const {
  std::vector<std::string> paths;
  for (const ReportFile& file : files_) paths.push_back(text_of(file.path()));
  return paths;
}

}  // namespace diskproof
