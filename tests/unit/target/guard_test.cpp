// Every refusal on real files, and the arithmetic of free space.
#include "target/guard.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <functional>

#include "guard_bench.hpp"

namespace diskproof {
namespace {

namespace fs = std::filesystem;

void mark_as_ours(const std::string& file) {
  const FileStatus status = look_at(file);
  const Marker marker{.device = status.identity.device,
                      .inode = status.identity.inode,
                      .modified = status.modified,
                      .size = status.size,
                      .seed = 1,
                      .generation = 1,
                      .written = {}};
  std::ofstream(marker_path(file), std::ios::binary) << marker_to_text(marker);
}

TEST_CASE("guard: a file that is not there may be made") {
  const TempFolder folder;
  CHECK(refusal_of(file_disk(folder.path("new.dat"))) == "");
}

TEST_CASE("guard: each thing that is no file of ours has its own refusal") {
  const TempFolder folder;
  folder.write("foreign", "precious");
  fs::create_directory(folder.path("folder"));
  struct Row {
    std::string path;
    const char* message;
  };
  for (const Row& row : {Row{folder.path("foreign"), "exists and was not made by diskproof"},
                         {folder.path("folder"), "is a folder; use `directory:"}}) {
    CAPTURE(row.path);
    CHECK(refusal_of(file_disk(row.path)).find(row.message) != std::string::npos);
    DiskPlan overwriting = file_disk(row.path);
    overwriting.overwrite = true;
    const bool consent_helps = row.path == folder.path("foreign");
    CHECK(refusal_of(overwriting).empty() == consent_helps);
  }
  CHECK(folder.read("foreign") == "precious");
}

TEST_CASE("guard: a file with our marker may be written again") {
  const TempFolder folder;
  const std::string file = folder.write("ours.dat", "old");
  mark_as_ours(file);
  CHECK(refusal_of(file_disk(file)) == "");
}

TEST_CASE("guard: a marker of another file does not help, one that cannot be read is named") {
  const TempFolder folder;
  const std::string file = folder.write("f.dat", "old");
  mark_as_ours(folder.write("other.dat", "x"));
  fs::copy_file(folder.path("other.dat.diskproof"), folder.path("f.dat.diskproof"));
  CHECK(refusal_of(file_disk(file)).find("was not made by diskproof") != std::string::npos);
  folder.write("f.dat.diskproof", "garbage");
  CHECK(refusal_of(file_disk(file)).find("f.dat.diskproof cannot be trusted") != std::string::npos);
}

TEST_CASE("guard: what stands at the path of the marker and is none is refused whatever stands at the file") {
  const TempFolder folder;
  const std::string marker = folder.path("f.dat.diskproof");
  struct Row {
    const char* name;
    std::function<void()> make;
  };
  for (const Row& row : {Row{"text", [&] { folder.write("f.dat.diskproof", "precious"); }},
                         {"an empty file", [&] { folder.write("f.dat.diskproof", ""); }},
                         {"a folder", [&] { fs::create_directory(marker); }}}) {
    CAPTURE(row.name);
    row.make();
    for (const bool exists : {false, true}) {
      for (const bool overwrite : {false, true}) {
        CAPTURE(exists);
        CAPTURE(overwrite);
        if (exists) folder.write("f.dat", "content");
        DiskPlan disk = file_disk(folder.path("f.dat"));
        disk.overwrite = overwrite;
        CHECK(refusal_of(disk).find("f.dat.diskproof cannot be trusted") != std::string::npos);
        fs::remove(folder.path("f.dat"));
      }
    }
    fs::remove(marker);
  }
}

TEST_CASE("guard: a file of ours that somebody else changed is refused unless it may be overwritten") {
  const TempFolder folder;
  const std::string file = folder.path("f.dat");
  const auto rewrite = [&](const std::string& from, const std::string& to) {
    std::string text = folder.read("f.dat.diskproof");
    folder.write("f.dat.diskproof", text.replace(text.find(from), from.size(), to));
  };
  struct Row {
    const char* name;
    const char* message;
    std::function<void()> change;
  };
  for (const Row& row :
       {Row{"other content of the same size", "was changed by somebody else", [&] { folder.write("f.dat", "new"); }},
        {"hollow", "was changed by somebody else",
         [&] {
           fs::resize_file(file, 0);
           fs::resize_file(file, 3);
         }},
        {"another size with the old time", "was changed by somebody else",
         [&] {
           const auto time = fs::last_write_time(file);
           fs::resize_file(file, 2);
           fs::last_write_time(file, time);
         }},
        {"another device", "is on another device", [&] { rewrite("\"device\":", "\"device\":9"); }},
        {"a run that was cut off", "`diskproof cleanup`",
         [&] { rewrite("\"modified\":" + std::to_string(look_at(file).modified), "\"modified\":0"); }}}) {
    CAPTURE(row.name);
    folder.write("f.dat", "old");
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(1));
    mark_as_ours(file);
    CHECK(refusal_of(file_disk(file)) == "");
    row.change();
    CHECK(refusal_of(file_disk(file)).find(row.message) != std::string::npos);
    DiskPlan overwriting = file_disk(file);
    overwriting.overwrite = true;
    CHECK(refusal_of(overwriting) == "");
    CHECK_FALSE(guard_file(overwriting, file).marker);
  }
}

TEST_CASE("guard: a folder that is missing is no danger, but cannot be used") {
  const TempFolder folder;
  folder.write("file", "x");
  struct Row {
    const char* name;
    DiskPlan disk;
    const char* message;
  };
  DiskPlan image = file_disk(folder.path("missing/d.img"));
  image.kind = DiskKind::loop;
  for (const Row& row :
       {Row{"a file's", file_disk(folder.path("missing/f")), "there is no folder"},
        {"an image's", image, "there is no folder"},
        {"a file in a file", file_disk(folder.path("file/f")), "is not a folder"},
        {"a folder", directory_disk(folder.path("missing"), folder.path("missing/w")), "create it"},
        {"a folder in a file", directory_disk(folder.path("file/x"), folder.path("file/x/w")), "file"},
        {"a file for a folder", directory_disk(folder.path("file"), folder.path("file/w")), "is not"}}) {
    CAPTURE(row.name);
    try {
      guard_disk(row.disk, "job");
      FAIL("it was taken");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::unavailable);
      CHECK(std::string(error.what()).find(row.message) != std::string::npos);
    }
  }
}

TEST_CASE("guard: the work folder of a directory must be a real one") {
  const TempFolder folder;
  folder.write("file", "x");
  CHECK(refusal_of(directory_disk(folder.path(), folder.path("file"))).find("is not a folder") != std::string::npos);
  CHECK(refusal_of(directory_disk(folder.path(), folder.path("w"))) == "");
}

TEST_CASE("guard: free space leaves the larger of 10 percent and 5 GiB") {
  const TempFolder folder;
  struct Row {
    const char* name;
    std::uint64_t size, available, wanted;  // GiB
    bool fill, refused;
  };
  for (const Row& row : {Row{"plenty", 100, 50, 40, false, false},
                         {"exactly the reserve of 10 percent", 100, 50, 40, false, false},
                         {"one less", 100, 50, 41, false, true},
                         {"5 GiB on a small one", 20, 10, 5, false, false},
                         {"less than 5 GiB on a small one", 20, 10, 6, false, true},
                         {"fill allows it", 100, 50, 50, true, false}}) {
    CAPTURE(row.name);
    DiskPlan disk = file_disk(folder.path("new.dat"), row.wanted * kGiB);
    disk.fill = row.fill;
    const auto filesystem = [&](const std::string& path) {
      FilesystemFacts facts = roomy_filesystem(path);
      facts.size = row.size * kGiB;
      facts.available = row.available * kGiB;
      return facts;
    };
    const std::string text = refusal([&] { guard_space(disks_on_files(plan_with(disk)), filesystem); });
    CHECK(text.empty() == !row.refused);
    if (row.refused) CHECK(text.find("`fill: true`") != std::string::npos);
  }
}

TEST_CASE("guard: what does not fit at all is unavailable even with fill") {
  const TempFolder folder;
  DiskPlan disk = file_disk(folder.path("new.dat"), 901 * kGiB);
  disk.fill = true;
  try {
    guard_space(disks_on_files(plan_with(disk)), roomy_filesystem);
    FAIL("901 GiB do not fit into 900 GiB");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::unavailable);
    CHECK(std::string(error.what()).find("901 GiB") != std::string::npos);
  }
}

TEST_CASE("guard: a file system that does not say its size is used only with fill") {
  const TempFolder folder;
  DiskPlan disk = file_disk(folder.path("new.dat"), kGiB);
  const auto unknown = [](const std::string& path) {
    FilesystemFacts facts = roomy_filesystem(path);
    facts.size = facts.available = 0;
    return facts;
  };
  CHECK(refusal([&] { guard_space(disks_on_files(plan_with(disk)), unknown); }).find("`fill: true`") !=
        std::string::npos);
  disk.fill = true;
  CHECK(refusal([&] { guard_space(disks_on_files(plan_with(disk)), unknown); }) == "");
}

TEST_CASE("guard: disks on one file system are added up, our own files count as free") {
  const TempFolder folder;
  const auto filesystem = [&](const std::string& path) {
    FilesystemFacts facts = roomy_filesystem(path);
    facts.size = 20 * kGiB;
    facts.available = 8 * kGiB;
    return facts;
  };
  Plan plan = plan_with(file_disk(folder.path("a.dat"), 2 * kGiB));
  CHECK(refusal([&] { guard_space(disks_on_files(plan), filesystem); }) == "");
  plan.disks.push_back(file_disk(folder.path("b.dat"), 2 * kGiB));
  plan.disks[1].name = "second";
  CHECK(refusal([&] { guard_space(disks_on_files(plan), filesystem); }).find("data, second") != std::string::npos);

  const std::string ours = folder.write("c.dat", std::string(1 << 20, 'x'));
  mark_as_ours(ours);
  const auto full = [&](const std::string& path) {
    FilesystemFacts facts = filesystem(path);
    facts.available = 5 * kGiB;
    return facts;
  };
  CHECK(refusal([&] { guard_space(disks_on_files(plan_with(file_disk(ours, 1 << 20))), full); }) == "");
  CHECK(refusal([&] { guard_space(disks_on_files(plan_with(file_disk(folder.path("d.dat"), 1 << 20))), full); }) != "");
}

}  // namespace
}  // namespace diskproof
