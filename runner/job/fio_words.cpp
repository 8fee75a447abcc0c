// One row per word; it counts where the key that it stands for is known.
#include "job/fio_words.hpp"

#include <array>

namespace diskproof {
namespace {

struct FioWord {
  std::string_view word, key, hint;
};

constexpr std::array kKeys{
    FioWord{"rw", "operations", "write operations: read, write, trim or a mix, and access: sequential or random"},
    FioWord{"readwrite", "operations",
            "write operations: read, write, trim or a mix, and access: sequential or random"},
    FioWord{"rwmixread", "operations", "write a mix, such as operations: {read: 70%, write: 30%}"},
    FioWord{"rwmixwrite", "operations", "write a mix, such as operations: {read: 70%, write: 30%}"},
    FioWord{"bs", "block_size", "that is block_size"},
    FioWord{"blocksize", "block_size", "that is block_size"},
    FioWord{"iodepth", "queue_depth", "that is queue_depth"},
    FioWord{"numjobs", "threads", "that is threads"},
    FioWord{"runtime", "duration", "that is duration"},
    FioWord{"ramp_time", "warmup", "that is warmup"},
    FioWord{"ioengine", "engine", "that is engine"},
    FioWord{"filename", "disk", "name it under `disks`, such as data: {file: PATH}, and write disk: data here"},
    FioWord{"filename", "file", "that is file"},
    FioWord{"filename", "disks", "name it under `disks`, such as data: {file: PATH}"}};

}  // namespace

std::string fio_key_hint(std::string_view key, const std::function<bool(std::string_view)>& is_known) {
  for (const FioWord& row : kKeys) {
    if (row.word == key && is_known(row.key)) return std::string(row.hint);
  }
  return {};
}

std::string fio_value_hint(std::string_view value, const std::function<bool(std::string_view)>& is_known) {
  const bool flush = value == "fsync" || value == "fdatasync";
  if (!flush || !is_known("dsync")) return {};
  return "write fsync: {every: 1} for a flush after each write, or sync: dsync";
}

}  // namespace diskproof
