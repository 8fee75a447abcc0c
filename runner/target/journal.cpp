// Lines of the undo journal.
#include "target/journal.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <thread>

#include "plan/planner.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"
#include "target/reach.hpp"

namespace diskproof {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kFormat = 3;
constexpr std::uint64_t kMaxJournalBytes = std::uint64_t{64} << 20;

// A process that was killed with its run ends its last step first.
constexpr int kLockTries = 40;
constexpr std::chrono::milliseconds kLockPause{50};

constexpr const char* kMountPrefix = "mount-";

struct KindName {
  UndoKind kind;
  std::string_view name;
};
constexpr std::array<KindName, 7> kKinds{{{UndoKind::remove_file, "remove_file"},
                                          {UndoKind::remove_marker, "remove_marker"},
                                          {UndoKind::remove_folder, "remove_folder"},
                                          {UndoKind::unmount, "unmount"},
                                          {UndoKind::detach_loop, "detach_loop"},
                                          {UndoKind::restore_setting, "restore_setting"},
                                          {UndoKind::remove_throttle, "remove_throttle"}}};

std::string_view name_of(UndoKind kind) {
  for (const KindName& known : kKinds) {
    if (known.kind == kind) return known.name;
  }
  return "?";
}

UndoKind kind_from(const std::string& name) {
  for (const KindName& known : kKinds) {
    if (known.name == name) return known.kind;
  }
  throw Error(ErrorKind::failed, "it has a step of the unknown kind " + name + ", of a later version?");
}

std::string line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json header_to_json(const JournalHeader& header) {
  return {{"diskproof_journal", kFormat},
          {"run_id", header.run_id},
          {"job_file", header.job_file},
          {"started_at", header.started_at},
          {"started", header.started},
          {"pid", header.process.pid},
          {"process_start", header.process.start_time},
          {"boot_id", header.process.boot_id}};
}

JournalHeader header_from_json(const Json& json) {
  if (json.at("diskproof_journal").get<std::uint64_t>() != kFormat) {
    throw Error(ErrorKind::failed, "it is of another format version");
  }
  JournalHeader header;
  json.at("run_id").get_to(header.run_id);
  json.at("job_file").get_to(header.job_file);
  json.at("started_at").get_to(header.started_at);
  json.at("started").get_to(header.started);
  json.at("pid").get_to(header.process.pid);
  json.at("process_start").get_to(header.process.start_time);
  json.at("boot_id").get_to(header.process.boot_id);
  return header;
}

void put_identity(Json& json, const FileIdentity& identity) {
  json["device"] = identity.device;
  json["inode"] = identity.inode;
  json["born"] = identity.born;
}

FileIdentity identity_from(const Json& json) {
  return {json.at("device").get<std::uint64_t>(), json.at("inode").get<std::uint64_t>(),
          json.at("born").get<std::uint64_t>()};
}

std::optional<UrlPlace> place_from(const Json& json) {
  if (!json.contains("url")) return std::nullopt;
  return UrlPlace{json.at("library").get<std::string>(), json.at("options").get<std::map<std::string, std::string>>(),
                  json.at("url").get<std::string>()};
}

std::vector<OpenStep>::iterator find_step(JournalContents& contents, std::uint64_t number) {
  const auto found = std::find_if(contents.open.begin(), contents.open.end(),
                                  [&](const OpenStep& open) { return open.number == number; });
  if (found == contents.open.end()) throw Error(ErrorKind::failed, "it speaks of a step that it did not begin");
  return found;
}

void apply_line(const Json& json, JournalContents& contents) {
  const auto number = json.at("step").get<std::uint64_t>();
  if (json.contains("kind")) {
    UndoStep step{.kind = kind_from(json.at("kind").get<std::string>()),
                  .disk = json.at("disk").get<std::string>(),
                  .path = json.at("path").get<std::string>(),
                  .keep = json.at("keep").get<bool>(),
                  .size = json.at("size").get<std::uint64_t>(),
                  .folder = identity_from(json.at("folder")),
                  .identity = {},
                  .value = json.value("value", std::string()),
                  .set = json.value("set", std::string()),
                  .place = place_from(json)};
    if (json.contains("inode")) step.identity = identity_from(json);
    contents.open.push_back({number, std::move(step)});
    contents.next = std::max(contents.next, number + 1);
    return;
  }
  const auto found = find_step(contents, number);
  if (json.contains("inode")) {
    found->step.identity = identity_from(json);
  } else if (json.at("over").get<bool>()) {
    contents.open.erase(found);
  }
}

}  // namespace

std::string mount_folder(const std::string& state_root, const std::string& run_id, const std::string& disk) {
  return path_in(state_root, kMountPrefix + run_id + "-" + file_word(disk));
}

bool is_mount_folder(const std::string& name) { return name.starts_with(kMountPrefix); }

std::string journal_path(const std::string& folder) { return path_in(folder, "journal.jsonl"); }

Journal::Journal(const std::string& state_root, const JournalHeader& header)
    : folder_(path_in(state_root, header.run_id)), path_(journal_path(folder_)) {
  contents_.header = header;
  try {
    create_in(state_root);
  } catch (const Error& error) {
    throw Error(error.kind(),
                std::string(error.what()) + "; set " + state_home_variable() + " to a folder that can be written");
  }
}

void Journal::create_in(const std::string& state_root) {
  require_write("the state folder", state_root);
  std::error_code error;
  std::filesystem::create_directories(path_from(state_root), error);
  if (error) {
    throw Error(ErrorKind::failed, "cannot create the state folder " + state_root + ": " + error.message());
  }
  const OpenFile root = open_folder(state_root);
  root.lock();  // until the header is there
  create_folder(folder_);
  try {
    lock_ = open_folder(folder_);
    lock_.lock();
    create_folder(path_in(folder_, "engines"));
    file_ = create_file(path_);
    file_.append_durably(line(header_to_json(contents_.header)), path_);
    sync_folder(folder_);
    sync_folder(state_root);
  } catch (const Error&) {
    remove();
    throw;
  }
}

Journal::Journal(const std::string& folder) : folder_(folder), path_(journal_path(folder)) {
  lock_ = open_folder(folder_);
  for (int tries = 0; !lock_.try_lock(); ++tries) {
    if (tries == kLockTries) {
      throw Error(ErrorKind::failed,
                  "another process is undoing it, or one of the run itself still waits for a device; wait for its end, "
                  "and run `diskproof cleanup` again if something is left");
    }
    std::this_thread::sleep_for(kLockPause);
  }
  contents_ = read_journal(path_);  // not before: the other one has written to it
  file_ = open_to_append(path_, contents_.whole_size);
}

std::string Journal::temporary_beside(const std::string& path) const {
  return path_in(folder_of(path), ".diskproof-" + contents_.header.run_id + "-" + std::to_string(contents_.next));
}

std::uint64_t Journal::begin(UndoStep step) {
  const std::uint64_t number = contents_.next;
  if (!step.place) step.folder = look_at_folder(folder_of(step.path)).identity;
  Json folder = Json::object();
  put_identity(folder, step.folder);
  Json json{{"step", number},    {"kind", name_of(step.kind)}, {"disk", step.disk},          {"path", step.path},
            {"keep", step.keep}, {"size", step.size},          {"folder", std::move(folder)}};
  if (step.identity) put_identity(json, *step.identity);
  if (!step.value.empty()) json["value"] = step.value;
  if (!step.set.empty()) json["set"] = step.set;
  if (step.place) {
    json["library"] = step.place->library;
    json["options"] = step.place->options;
    json["url"] = step.place->url;
  }
  file_.append_durably(line(json), path_);
  contents_.open.push_back({number, std::move(step)});
  ++contents_.next;
  return number;
}

void Journal::identify(std::uint64_t number, const FileIdentity& identity) {
  find_step(contents_, number)->step.identity = identity;
  Json json{{"step", number}};
  put_identity(json, identity);
  file_.append_durably(line(json), path_);
}

void Journal::finish(std::uint64_t number) {
  contents_.open.erase(find_step(contents_, number));
  file_.append_durably(line(Json{{"step", number}, {"over", true}}), path_);
}

void Journal::remove() noexcept {
  // Windows keeps the names of open files, that of the lock too: there the folder goes only after it.
  file_ = OpenFile();
  std::error_code ignored;
  std::filesystem::remove_all(path_from(folder_), ignored);
  lock_ = OpenFile();
  std::filesystem::remove_all(path_from(folder_), ignored);
}

bool journal_has_begun(const std::string& folder) {
  const auto text = read_small_file(journal_path(folder), kMaxJournalBytes);
  return text && text->find('\n') != std::string::npos;
}

JournalContents read_journal(const std::string& path) {
  std::size_t number = 0;  // of the line
  try {
    const auto text = read_small_file(path, kMaxJournalBytes);
    if (!text) throw Error(ErrorKind::failed, "it is not there");
    JournalContents contents;
    std::size_t begin = 0;
    for (std::size_t end; (end = text->find('\n', begin)) != std::string::npos; begin = end + 1) {
      ++number;
      const Json json = Json::parse(text->begin() + static_cast<std::ptrdiff_t>(begin),
                                    text->begin() + static_cast<std::ptrdiff_t>(end));
      if (number == 1) {
        contents.header = header_from_json(json);
      } else {
        apply_line(json, contents);
      }
    }
    if (number == 0) throw Error(ErrorKind::failed, "it is empty");
    contents.whole_size = begin;
    return contents;
  } catch (const std::exception& error) {
    const std::string place = number == 0 ? "" : " in line " + std::to_string(number);
    throw Error(ErrorKind::failed, "the undo journal " + path + " cannot be read" + place + ": " + error.what());
  }
}

}  // namespace diskproof
