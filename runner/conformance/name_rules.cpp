// Operations on names, for engines that have them: the life of a folder with a file, and what must fail.
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "conformance/rig.hpp"
#include "conformance/rule.hpp"
#include "engine/code.hpp"

namespace diskproof {
namespace {

// Runs one name after the other and says which of them did not end as it must.
class Names {
 public:
  explicit Names(Subject& subject) : subject_(subject), rig_(subject, "data", 4096, {}) {}

  // The result, whatever it is.
  std::int64_t run(dp_name_op_kind kind, const std::string& name, const std::string& to = "", std::uint64_t number = 0,
                   std::uint8_t flags = 0) {
    const std::string path = subject_.name_path(name), path2 = subject_.name_path(to);
    dp_name_op op{};
    op.op = static_cast<std::uint8_t>(kind);
    op.path = path.c_str();
    if (!to.empty()) op.path2 = path2.c_str();
    op.out = out_.data();
    op.out_len = static_cast<std::uint32_t>(out_.size());
    op.offset_or_handle = number;
    op.flags = flags;
    if (rig_.submit_names({&op, 1}) != 1) throw Violation("an empty queue did not take one operation on a name");
    return rig_.drain().front().result;
  }
  void must(std::int64_t expected, const char* what, std::int64_t result) const {
    if (result != expected)
      throw Violation(fmt::format("{} completed with {}, expected {} ({})", what, result_text(result), expected,
                                  code_name(expected)));
  }
  [[nodiscard]] std::string out(std::int64_t length) const { return {out_.data(), static_cast<std::size_t>(length)}; }
  template <class Value>
  [[nodiscard]] Value out_as() const {
    Value value{};
    std::memcpy(&value, out_.data(), sizeof value);
    return value;
  }

 private:
  Subject& subject_;
  Rig rig_;
  std::vector<char> out_ = std::vector<char>(4096, '\0');
};

void need_names(const Subject& subject) {
  if (!subject.can(DP_CAP_NAMES)) throw NotApplicable("it has no operations on names (DP_CAP_NAMES)");
  subject.need_files("names are tried in a folder of files");
}

std::string life(Subject& subject) {
  need_names(subject);
  Names names(subject);
  names.must(0, "mkdir", names.run(DP_NAME_MKDIR, "folder"));
  names.must(0, "create", names.run(DP_NAME_CREATE, "folder/a", "", 0, DP_NAME_EXCLUSIVE));
  names.must(0, "close of what create opened", names.run(DP_NAME_CLOSE, "folder/a", "", names.out_as<std::uint64_t>()));
  names.must(0, "open", names.run(DP_NAME_OPEN, "folder/a"));
  names.must(0, "close", names.run(DP_NAME_CLOSE, "folder/a", "", names.out_as<std::uint64_t>()));
  names.must(0, "truncate", names.run(DP_NAME_TRUNCATE, "folder/a", "", 1000));
  names.must(0, "rename", names.run(DP_NAME_RENAME, "folder/a", "folder/b"));
  if (const std::int64_t synced = names.run(DP_NAME_SYNC, "folder"); synced != -DP_ENOTSUP)
    names.must(0, "sync", synced);
  names.must(0, "stat after rename", names.run(DP_NAME_STAT, "folder/b"));
  const auto status = names.out_as<dp_name_stat>();
  if (status.size != 1000 || status.is_directory != 0)
    throw Violation(
        fmt::format("stat of a file of 1000 bytes says {} bytes, directory {}", status.size, status.is_directory));
  names.must(0, "stat of a folder", names.run(DP_NAME_STAT, "folder"));
  if (names.out_as<dp_name_stat>().is_directory == 0) throw Violation("stat of a folder says that it is none");
  const std::int64_t length = names.run(DP_NAME_READDIR, "folder");
  names.must(2, "readdir of a folder with the file b", length);
  if (names.out(length) != std::string("b\0", 2)) throw Violation("readdir of a folder with the file b lists another");
  names.must(0, "unlink", names.run(DP_NAME_UNLINK, "folder/b"));
  names.must(0, "readdir of an empty folder", names.run(DP_NAME_READDIR, "folder"));
  names.must(0, "rmdir", names.run(DP_NAME_RMDIR, "folder"));
  names.must(-DP_ENOENT, "stat after rmdir", names.run(DP_NAME_STAT, "folder"));
  return "";
}

std::string errors(Subject& subject) {
  need_names(subject);
  Names names(subject);
  names.must(-DP_ENOENT, "unlink of a name that is not there", names.run(DP_NAME_UNLINK, "nowhere"));
  names.must(-DP_ENOENT, "open of a name that is not there", names.run(DP_NAME_OPEN, "nowhere"));
  names.must(0, "mkdir", names.run(DP_NAME_MKDIR, "folder"));
  names.must(-DP_EEXIST, "mkdir of a folder that is there", names.run(DP_NAME_MKDIR, "folder"));
  names.must(-DP_EEXIST, "exclusive create of a name that is there",
             names.run(DP_NAME_CREATE, "data", "", 0, DP_NAME_EXCLUSIVE));
  names.must(-DP_ENOTDIR, "readdir of a file", names.run(DP_NAME_READDIR, "data"));
  names.must(0, "mkdir inside", names.run(DP_NAME_MKDIR, "folder/inner"));
  names.must(-DP_ENOTEMPTY, "rmdir of a folder with entries", names.run(DP_NAME_RMDIR, "folder"));
  return "";
}

constexpr std::array kRules{
    ConformanceRule{"names.life", "names are made, looked at, changed and removed", life},
    ConformanceRule{"names.errors", "what cannot be done to a name fails with its code", errors},
};

}  // namespace

std::span<const ConformanceRule> name_rules() { return kRules; }

}  // namespace diskproof
