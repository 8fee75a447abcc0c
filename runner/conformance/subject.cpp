// Options with their defaults, scratch files, and why a rule does not apply.
#include "conformance/subject.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <utility>

#include "conformance/order.hpp"
#include "conformance/rule.hpp"
#include "engine/engine_info.hpp"
#include "exec/url_folder.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"
#include "support/url_text.hpp"

namespace diskproof {
namespace {

constexpr std::uint32_t kDepth = 32;

const char* op_name(dp_op op) {
  constexpr const char* kNames[] = {"read", "write", "trim", "fsync", "fdatasync", "write_zeroes"};
  return kNames[op];
}

std::string content_of(std::uint64_t size) {
  std::string content(size, '\0');
  for (std::uint64_t i = 0; i < size; ++i) content[i] = static_cast<char>(file_byte(i));
  return content;
}

void write_file(const std::string& path, const std::string& content) {
  std::ofstream file(path_from(path), std::ios::binary);
  file << content;
  file.close();
  if (!file) throw CannotRun(fmt::format("cannot write the scratch file {}", path));
}

}  // namespace

unsigned char file_byte(std::uint64_t offset) noexcept {
  return static_cast<unsigned char>((offset * 2654435761u) >> 11);
}

Subject::Subject(const Library& library, const dp_host& host, const RuleOrder& order, Trace& trace,
                 ProcessState at_start)
    : library_(library),
      host_(host),
      trace_(trace),
      url_(order.url),
      folder_(order.url.empty() ? order.folder : order.url_folder),
      options_(order.options),
      patience_(order.patience),
      at_start_(std::move(at_start)) {
  for (const EngineOption& option : option_values(library.manifest())) {
    // By the name of this option an engine without targets says that it can keep what is written to it.
    const bool content = option.name == "content" && option.type == DP_OPTION_BOOL && !can(DP_CAP_FILES);
    if (content) options_.try_emplace(option.name, "true");
    if (option.default_value) options_.try_emplace(option.name, *option.default_value);
    if (content) keeps_content_ = options_.at(option.name) == "true";
  }
}

Subject::~Subject() {
  try {
    if (share_used_) clear_share();
  } catch (const std::exception&) {
    // The rule's verdict tells what is wrong with the engine; the next rule tries again.
  }
}

bool Subject::can(dp_capability capability) const noexcept {
  return (library_.manifest().capabilities & capability) != 0;
}

bool Subject::supports(dp_op op) const noexcept { return (library_.manifest().operations >> op & 1) != 0; }

std::uint32_t Subject::depth() const noexcept {
  const std::uint64_t most = library_.manifest().max_depth;
  return most == 0 ? kDepth : static_cast<std::uint32_t>(std::min<std::uint64_t>(most, kDepth));
}

void Subject::need_operation(dp_op op) const {
  if (!supports(op)) throw NotApplicable(fmt::format("it has no {}", op_name(op)));
}

void Subject::need_data() const {
  if (!keeps_data()) throw NotApplicable("it keeps no data");
}

void Subject::need_files(const char* why) const {
  if (!on_files()) throw NotApplicable(why);
}

std::shared_ptr<Engine> Subject::create() const { return create({}); }

std::shared_ptr<Engine> Subject::create(const std::map<std::string, std::string>& changes) const {
  std::map<std::string, std::string> options = changes;
  options.insert(options_.begin(), options_.end());
  trace_.enter("create");
  return {new Engine(library_, options), [&trace = trace_](Engine* engine) {
            trace.enter("destroy");
            delete engine;
          }};
}

std::string Subject::path(const std::string& name) const {
  return on_share() ? url_of(url_, name_path(name)) : name_path(name);
}

void Subject::clear_share() const {
  Engine engine(library_, options_);
  UrlFolder(engine, url_).remove_tree(folder_);
}

void Subject::write_on_share(const std::string& name, const std::string& content) const {
  if (!share_used_) clear_share();
  share_used_ = true;
  Engine engine(library_, options_);
  UrlFolder share(engine, url_);
  share.make_folder(folder_);
  share.remove_file(name_path(name));
  share.make_file(name_path(name));
  share.write(name_path(name), content);
}

Place Subject::place(const std::string& name, std::uint64_t size, std::uint32_t flags) const {
  Place place;
  place.spec = {.spec = path(name), .size = size, .native_handle = -1, .flags = flags};
  if (!on_files()) {
    if (!can(DP_CAP_NO_TARGET))
      throw NotApplicable("it works on devices or URLs only, and there is none to try it on (--target URL)");
    place.spec.spec = name;
    return place;
  }
  if (on_share()) {
    write_on_share(name, content_of(size));
    return place;
  }
  write_file(place.spec.spec, content_of(size));
  const TargetAccess access{.write = (flags & DP_TARGET_WRITE) != 0, .direct = (flags & DP_TARGET_DIRECT) != 0};
  try {
    place.file = std::make_shared<TargetFile>(place.spec.spec, access);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::unavailable)
      throw NotApplicable("the scratch folder's file system refuses direct I/O");
    throw;
  }
  place.spec.native_handle = place.file->handle();
  return place;
}

Place Subject::slow_place(const std::string& name, std::uint64_t size) const {
  try {
    return place(name, size, DP_TARGET_WRITE | DP_TARGET_DIRECT);
  } catch (const NotApplicable&) {
    return place(name, size);
  }
}

}  // namespace diskproof
