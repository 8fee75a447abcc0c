// The bench that engine tests work on: temporary folders, a queue with buffers.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <diskproof/engine_abi.h>

#include "engine/library.hpp"
#include "engine/session.hpp"
#include "support/fresh_folder.hpp"
#include "support/manual_host.hpp"

namespace diskproof::testing {

class TempFolder {
 public:
  TempFolder() : path_(make_fresh_folder()) {}
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // A file of `size` bytes of `content`.
  [[nodiscard]] std::string file(const std::string& name, std::size_t size, char content = 'x') const {
    const std::filesystem::path path = path_ / name;
    std::ofstream(path, std::ios::binary) << std::string(size, content);
    return path.string();
  }

 private:
  std::filesystem::path path_;
};

inline std::filesystem::path built_engine(const std::string& name) {
  return std::filesystem::path(DISKPROOF_ENGINE_FOLDER) / ("diskproof_engine_" + name + DISKPROOF_ENGINE_SUFFIX);
}

// One queue of a built engine, with a buffer of `block` bytes per tag.
class Bench {
 public:
  struct Setup {
    std::uint32_t depth = 1;
    TargetSpec target{.spec = "virtual", .size = 1 << 20};
    std::map<std::string, std::string> options{};
    std::uint32_t block = 4096;
  };

  Bench(const std::string& engine, ManualHost& host, Setup setup)
      : setup_(std::move(setup)),
        memory_(new (std::align_val_t{4096}) std::byte[std::size_t{setup_.depth} * setup_.block]()),
        engine_(Library::load(built_engine(engine), host.table()), setup_.options),
        queue_(engine_, {.depth = setup_.depth,
                         .max_length = setup_.block,
                         .targets = {setup_.target},
                         .regions = {{memory_.get(), std::uint64_t{setup_.depth} * setup_.block}}}) {}

  [[nodiscard]] char* buffer(std::uint32_t tag) {
    return reinterpret_cast<char*>(memory_.get()) + std::size_t{tag} * setup_.block;
  }

  [[nodiscard]] dp_io io(dp_op op, std::uint32_t tag, std::uint64_t offset = 0) {
    dp_io io{};
    io.op = static_cast<std::uint8_t>(op);
    io.tag = tag;
    io.offset = offset;
    if (op == DP_OP_READ || op == DP_OP_WRITE) io.data = buffer(tag);
    if (op != DP_OP_FSYNC && op != DP_OP_FDATASYNC) io.length = setup_.block;
    return io;
  }

  std::int32_t submit(const std::vector<dp_io>& ios) { return queue_.calls().submit(ios); }
  std::vector<dp_done> reap(std::uint32_t max, std::uint32_t min, std::uint64_t timeout_ns) {
    std::vector<dp_done> done(max);
    done.resize(static_cast<std::size_t>(queue_.calls().reap(done, min, timeout_ns)));
    return done;
  }
  // One I/O, from submit to its completion.
  dp_done run(const dp_io& io) {
    if (submit({io}) != 1) return {};
    const auto done = reap(1, 1, 10'000'000'000);
    return done.empty() ? dp_done{} : done.front();
  }
  [[nodiscard]] Queue& queue() { return queue_; }
  [[nodiscard]] std::uint64_t operations() const { return engine_.library().manifest().operations; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{4096}); }
  };
  Setup setup_;
  std::unique_ptr<std::byte[], Free> memory_;
  Engine engine_;
  Queue queue_;
};

}  // namespace diskproof::testing
