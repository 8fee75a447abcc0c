// Job files and presets.
#include "cli/places.hpp"

#include <doctest/doctest.h>
#include <filesystem>

#include "support/error.hpp"
#include "support/temp_folder.hpp"

namespace diskproof {
namespace {

TEST_CASE("places: a slash or .yaml makes a path, whether it is there or not") {
  for (const char* job : {"a.yaml", "./a", "dir/b", "b.yml"}) {
    CAPTURE(job);
    CHECK(find_job_file(job, Places{}) == job);
  }
}

TEST_CASE("places: other words are presets, an unknown one lists them") {
  const TempFolder share;
  std::filesystem::create_directories(share.path("jobs/presets"));
  share.write("jobs/presets/cdm8-default.yaml", "");
  share.write("jobs/presets/iops.yaml", "");
  Places places;
  places.share = share.path();
  CHECK(preset_names(places) == std::vector<std::string>{"cdm8-default", "iops"});
  CHECK(find_job_file("iops", places) == share.path("jobs/presets/iops.yaml"));
  try {
    find_job_file("cdm8-defualt", places);
    FAIL("there is no such preset");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::bad_job);
    const std::string text = error.what();
    CHECK(text.find("did you mean cdm8-default?") != std::string::npos);
    CHECK(text.find("there are cdm8-default, iops") != std::string::npos);
  }
}

TEST_CASE("places: the name of a preset is never a path") {
  const TempFolder share;
  std::filesystem::create_directories(share.path("jobs/presets"));
  share.write("jobs/presets/iops.yaml", "");
  share.write("jobs/secret.yaml", "");
  Places places;
  places.share = share.path();
  CHECK(find_preset("iops", places) == share.path("jobs/presets/iops.yaml"));
  for (const std::string name : {"../secret", "../secret.yaml", "./iops", "iops.yaml", "", "."}) {
    CAPTURE(name);
    try {
      find_preset(name, places);
      FAIL("it is no preset");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::bad_job);
      CHECK(std::string(error.what()).find("there are iops") != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace diskproof
