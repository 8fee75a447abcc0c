// Whole job files: valid ones load without a word, invalid ones give exactly the faults that they list in comments of
// the form "#! LINE:COL error: …".
#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "unit/job/job_text.hpp"

using namespace diskproof;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> corpus(std::string_view prefix) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(DISKPROOF_SOURCE_DIR "/tests/unit/job/corpus")) {
    if (entry.path().filename().string().rfind(prefix, 0) == 0) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

LoadedJob load(const fs::path& file) { return load_job(file.string(), {{}, "results"}); }

}  // namespace

TEST_CASE("corpus: valid jobs load without a diagnostic") {
  const auto files = corpus("valid_");
  CHECK(files.size() >= 5);
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    CAPTURE(name);
    const LoadedJob loaded = load(file);
    CHECK(test::joined(loaded.diagnostics).empty());
    CHECK_FALSE(loaded.job.phases.empty());
  }
}

TEST_CASE("corpus: invalid jobs give exactly the faults that they list") {
  const auto files = corpus("invalid_");
  CHECK(files.size() >= 8);
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    CAPTURE(name);
    std::ifstream stream(file);
    std::string expected;
    for (std::string line; std::getline(stream, line);) {
      if (line.rfind("#! ", 0) == 0) expected += line.substr(3) + "\n";
    }
    CHECK_FALSE(expected.empty());
    std::string found;
    for (const std::string& text : test::texts(load(file).diagnostics))
      found += text.substr(file.string().size() + 1) + "\n";
    CHECK(found == expected);
  }
}

TEST_CASE("corpus: the example of the documentation is a valid job") {
  std::ifstream stream(DISKPROOF_SOURCE_DIR "/docs/job-format.md");
  std::ostringstream page;
  page << stream.rdbuf();
  const std::string text = page.str();
  const std::string mark = "```yaml\n";
  const auto start = text.find(mark);
  REQUIRE(start != std::string::npos);
  const auto end = text.find("```", start + mark.size());
  const std::string example = text.substr(start + mark.size(), end - start - mark.size());
  const LoadedJob loaded = load_job_text(example, "example", {{}, "results"});
  CHECK(test::joined(loaded.diagnostics).empty());
  CHECK(loaded.job.phases.size() == 2);
}
