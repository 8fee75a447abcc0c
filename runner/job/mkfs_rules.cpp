// A table of options for each mkfs, and a reader for all of them.
#include "job/mkfs_rules.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace diskproof {
namespace {

constexpr std::string_view kElsewhere = "names another file or device";
constexpr std::string_view kNothing = "makes no file system";
constexpr std::string_view kOtherType = "makes another file system than `type` says";

// A word in the value of an option, such as journal_dev in `-O journal_dev`; before a `=` where it has one.
struct Word {
  std::string_view option, word, why;
};

struct Table {
  std::string_view type;
  std::string_view plain, valued;  // letters of the options that may be given, without and with a value
  std::vector<std::string_view> long_plain, long_valued;
  std::vector<Word> refused;  // options, where `word` is empty, with an initial '-' for long ones; else words in values
};

const std::vector<Table>& tables() {
  static const std::vector<Table> kAll{
      {"ext4",
       "cjqvDFK",
       "bCegiGIEJLmMNoOrRsTU",
       {},
       {},
       {{"n", "", "only shows what mkfs would do"},
        {"S", "", "makes a superblock only"},
        {"V", "", kNothing},
        {"d", "", kElsewhere},
        {"l", "", kElsewhere},
        {"z", "", kElsewhere},
        {"t", "", kOtherType},
        {"J", "device", kElsewhere},
        {"O", "journal_dev", "makes a journal, not a file system"},
        {"E", "offset", "puts the file system where mount does not look for it"}}},
      {"xfs",
       "fKq",
       "bdilLmnrs",
       {},
       {},
       {{"N", "", "only shows what mkfs would do"},
        {"V", "", kNothing},
        {"c", "", kElsewhere},
        {"p", "", kElsewhere},
        {"d", "name", kElsewhere},
        {"d", "file", kElsewhere},
        {"l", "logdev", kElsewhere},
        {"l", "name", kElsewhere},
        {"l", "file", kElsewhere},
        {"l", "internal=0", kElsewhere},
        {"r", "rtdev", kElsewhere},
        {"r", "name", kElsewhere},
        {"r", "file", kElsewhere}}},
      {"btrfs",
       "fMKqv",
       "bdlmnsLORU",
       {"--force", "--mixed", "--nodiscard", "--quiet", "--verbose"},
       {"--byte-count", "--checksum", "--csum", "--data", "--features", "--label", "--leafsize", "--metadata",
        "--nodesize", "--runtime-features", "--sectorsize", "--uuid"},
       {{"r", "", kElsewhere},
        {"-rootdir", "", kElsewhere},
        {"V", "", kNothing},
        {"-version", "", kNothing},
        {"-help", "", kNothing},
        {"O", "list-all", kNothing},
        {"R", "list-all", kNothing},
        {"-features", "list-all", kNothing},
        {"-runtime-features", "list-all", kNothing}}},
      {"f2fs",
       "fimqr",
       "adeEglosOtTUCRwzZ",
       {},
       {},
       {{"c", "", kElsewhere},
        {"S", "", "makes a sparse image, not a file system"},
        {"V", "", kNothing},
        {"h", "", kNothing}}},
  };
  return kAll;
}

class Reader {
 public:
  Reader(const Table& table, const std::vector<std::string>& arguments) : table_(table), arguments_(arguments) {}

  std::vector<MkfsFault> read() {
    for (; at_ < arguments_.size(); ++at_) {
      const std::string& argument = arguments_[at_];
      if (argument.starts_with("--")) {
        read_long(argument);
      } else if (argument.size() > 1 && argument.front() == '-') {
        read_letters(argument);
      } else {
        add(argument, kElsewhere);
      }
    }
    return std::move(faults_);
  }

 private:
  // Options that need no value may stand together, and the value of the last one right behind it: -qLname.
  void read_letters(const std::string& argument) {
    for (std::size_t i = 1; i < argument.size(); ++i) {
      const std::string_view letter(&argument[i], 1);
      if (refuse(letter, "")) return;
      if (table_.plain.find(letter) != std::string_view::npos) continue;
      if (table_.valued.find(letter) == std::string_view::npos) return refuse_unknown("-" + std::string(letter));
      return read_value(std::string(letter), i + 1 < argument.size(), argument.substr(i + 1));
    }
  }

  // Abbreviations, which getopt takes as well, are unknown here.
  void read_long(const std::string& argument) {
    const auto equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    if (refuse(std::string_view(name).substr(1), "") || contains(table_.long_plain, name)) return;
    if (!contains(table_.long_valued, name)) return refuse_unknown(name);
    const bool attached = equals != std::string::npos;
    read_value(name.substr(1), attached, attached ? argument.substr(equals + 1) : "");
  }

  // `option`: without its first '-'.
  void read_value(const std::string& option, bool attached, std::string value) {
    if (!attached) {
      if (at_ + 1 == arguments_.size())
        return add("-" + option, "lacks its value, for which mkfs would take the device");
      value = arguments_[++at_];
    }
    for (std::string_view rest = value; !rest.empty();) {
      const auto comma = std::min(rest.find(','), rest.size());
      const std::string_view word = rest.substr(0, comma);
      if (!refuse(option, word)) refuse(option, word.substr(0, word.find('=')));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }

  bool refuse(std::string_view option, std::string_view word) {
    const auto found =
        std::ranges::find_if(table_.refused, [&](const Word& one) { return one.option == option && one.word == word; });
    if (found == table_.refused.end()) return false;
    add(fmt::format("-{}{}{}", option, word.empty() ? "" : " ", word), found->why);
    return true;
  }

  void refuse_unknown(const std::string& option) {
    add(option, fmt::format("is no option of mkfs.{} that a job may give", table_.type));
  }

  void add(std::string_view what, std::string_view why) { faults_.push_back({at_, fmt::format("'{}' {}", what, why)}); }

  static bool contains(const std::vector<std::string_view>& all, std::string_view one) {
    return std::ranges::find(all, one) != all.end();
  }

  const Table& table_;
  const std::vector<std::string>& arguments_;
  std::size_t at_ = 0;
  std::vector<MkfsFault> faults_;
};

}  // namespace

std::vector<MkfsFault> mkfs_faults(const std::string& type, const std::vector<std::string>& arguments) {
  const auto table = std::ranges::find(tables(), type, &Table::type);
  return table == tables().end() ? std::vector<MkfsFault>{} : Reader(*table, arguments).read();
}

}  // namespace diskproof
