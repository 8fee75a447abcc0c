// The shell runs constant commands; file names are made here and need no quoting beyond single quotes.
#include "unit/report/external_check.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <unistd.h>

namespace diskproof::testing {
namespace {

struct Finished {
  int status = -1;
  std::string output;
};

Finished run(const std::string& command) {
  Finished finished;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return finished;
  std::array<char, 4096> buffer{};
  while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe))
    finished.output.append(buffer.data(), size);
  finished.status = ::pclose(pipe);
  return finished;
}

std::string quoted(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

ExternalCheck check(const std::string& probe, const std::string& command) {
  if (run(probe).status != 0) return {};
  const Finished finished = run(command);
  return {true, finished.status == 0, finished.output};
}

}  // namespace

ExternalCheck check_xml(const std::filesystem::path& file, const std::filesystem::path& schema) {
  return check("xmllint --version", "xmllint --nonet --noout --schema " + quoted(schema) + " " + quoted(file));
}

ExternalCheck check_json(const std::filesystem::path& file, const std::filesystem::path& schema) {
  const std::string python = "/usr/bin/python3 -W ignore ";  // the distribution's, which has the distribution's modules
  return check(python + "-c 'import jsonschema'", python + "-m jsonschema -i " + quoted(file) + " " + quoted(schema));
}

TemporaryFile::TemporaryFile(const std::string& name, const std::string& content) {
  std::string pattern = (std::filesystem::temp_directory_path() / "diskproof-report-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) std::abort();
  folder_ = pattern;
  path_ = folder_ / name;
  std::ofstream(path_, std::ios::binary) << content;
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace diskproof::testing
