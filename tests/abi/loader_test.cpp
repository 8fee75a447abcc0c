// Every refusal of the loader has a message of its own that says what was found and what was expected.
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "engine/library.hpp"
#include "support/error.hpp"

using namespace diskproof;
namespace fs = std::filesystem;

namespace {

const dp_host& host() {
  static const dp_host table{sizeof(dp_host),
                             0,
                             nullptr,
                             [](void*, std::int32_t, const char*) {},
                             [](void*) -> std::uint64_t { return 0; },
                             [](void*, std::uint64_t) {},
                             1'000'000'000,
                             nullptr};
  return table;
}

fs::path wrong(const std::string& name) {
  return fs::path(DISKPROOF_WRONG_FOLDER) / name / "diskproof_engine_wrong" DISKPROOF_ENGINE_SUFFIX;
}

// Message without the path that all begin with.
std::string refusal(const fs::path& path) {
  try {
    (void)Library::load(path, host());
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::unavailable);
    const std::string text = error.what();
    const std::string opening = "engine " + path.string() + ": ";
    CHECK(text.starts_with(opening));
    return text.substr(std::min(opening.size(), text.size()));
  }
  return "loaded";
}

// Case → words of its message.
const std::map<std::string, std::string> kRefusals = {
    {"nothing", "loaded"},
    {"no_manifest", "no symbol dp_engine_manifest"},
    {"no_open", "no symbol dp_engine_open"},
    {"undefined_symbol", "undefined symbol: missing_function"},
    {"magic", "starts with 0x00000001, not with 0x46525044"},
    {"major", "contract 9.2, this runner speaks 0.2: major versions must be equal"},
    {"minor", "contract 0.77, this runner speaks 0.2: minor versions must be equal"},
    {"manifest_size", "manifest says it has 40 bytes, expected 88"},
    {"name", "name is 'right' but the file is named for 'wrong'"},
    {"bad_name", "name is 'Wrong-1', expected"},
    {"null_name", "name is '', expected"},
    {"null_version", "no version"},
    {"null_summary", "no summary"},
    {"capabilities", "unknown capabilities 0x10000000000"},
    {"no_target_kind", "names no kind of target"},
    {"sync_depth", "DP_CAP_SYNC with max_depth 0"},
    {"no_operations", "operations are 0x0"},
    {"unknown_operation", "operations are 0x100000"},
    {"options_missing", "2 rows but is missing"},
    {"options_many", "100000 rows, at most 1000"},
    {"option_name", "row 0 of the option table has the name 'chunk size'"},
    {"option_twice", "has 'other' twice"},
    {"option_help", "option chunk has no help text"},
    {"option_type", "unknown type 12"},
    {"option_scope", "unknown scope 3"},
    {"option_flags", "unknown flags 0x4"},
    {"option_bounds", "minimum 9 above its maximum 8"},
    {"option_choices", "has choices but is no enum"},
    {"option_no_choices", "an enum without choices"},
    {"option_repeats", "empty or repeated choice"},
    {"option_default", "default '4KiB'"},
    {"option_out_of_bounds", "9 is not between 1 and 8"},
    {"open_text", "refused to start: no kernel today (enotsup)"},
    {"open_silent", "did not say why"},
    {"table_size", "table says it has 16 bytes, expected 88"},
    {"no_probe", "has no probe,"},
    {"no_create", "has no create,"},
    {"no_destroy", "has no destroy,"},
    {"no_target_info", "has no target_info,"},
    {"no_queue_open", "has no queue_open,"},
    {"no_queue_close", "has no queue_close,"},
    {"no_submit", "has no submit,"},
    {"no_reap", "has no reap,"},
    {"no_cancel", "has no cancel,"},
    {"names_missing", "DP_CAP_NAMES but the table has no submit_names"},
    {"names_unsaid", "submit_names but the manifest does not say"},
};

}  // namespace

TEST_CASE("loader: each wrong engine is refused with its own message") {
  std::set<std::string> messages;
  for (const auto& [name, words] : kRefusals) {
    CAPTURE(name);
    const std::string text = refusal(wrong(name));
    CAPTURE(text);
    CHECK(text.find(words) != std::string::npos);
    CHECK(messages.insert(text).second);
  }
}

TEST_CASE("loader: every wrong engine that is built has its row") {
  std::set<std::string> built;
  for (const fs::directory_entry& entry : fs::directory_iterator(DISKPROOF_WRONG_FOLDER)) {
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    CHECK(kRefusals.contains(name));
    built.insert(name);
  }
  CHECK(built.size() == kRefusals.size());
}

TEST_CASE("loader: files that are no engines are refused with the linker's reason") {
  const fs::path folder = fs::path(DISKPROOF_WRONG_FOLDER) / ".." / "no_engines";
  fs::create_directories(folder / "folder" / "diskproof_engine_wrong" DISKPROOF_ENGINE_SUFFIX);
  std::ofstream(folder / "diskproof_engine_text.so") << std::string(4096, 'w');
  std::ofstream(folder / "diskproof_engine_empty.so").flush();
  CHECK(refusal(folder / "diskproof_engine_none.so") == "no such file");
  CHECK(refusal(folder / "diskproof_engine_text.so").find("invalid ELF header") != std::string::npos);
  CHECK(refusal(folder / "diskproof_engine_empty.so").find("file too short") != std::string::npos);
  CHECK(refusal(folder / "folder" / "diskproof_engine_wrong" DISKPROOF_ENGINE_SUFFIX).find("cannot be loaded") !=
        std::string::npos);
  CHECK(refusal(folder / "diskproof_engine_text.so").find("boost") == std::string::npos);
}

TEST_CASE("loader: a path must be absolute and named like an engine") {
  CHECK(refusal("diskproof_engine_sync.so") == "the path must be absolute");
  CHECK(refusal("/tmp/libsync.so").find("must be named diskproof_engine_<name>.so") != std::string::npos);
}

TEST_CASE("loader: a loaded engine tells its name and path") {
  const Library library = Library::load(wrong("nothing"), host());
  CHECK(library.name() == "wrong");
  CHECK(library.path() == wrong("nothing").string());
  CHECK(library.api().cancel(nullptr, 0) == -DP_ENOTSUP);
}
