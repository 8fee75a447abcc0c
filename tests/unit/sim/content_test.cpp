// Content that is right, and each way to be wrong: that one and no other.
#include "sim/content.hpp"

#include <bit>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "support/temp_folder.hpp"

using namespace sim;
using diskproof::TempFolder;

namespace {

constexpr std::uint64_t kSize = 100'003;  // odd

// A disk's content, and what a reader sees of it as text.
class Disk {
 public:
  explicit Disk(Fault fault, const char* folder = nullptr, std::uint64_t size = kSize)
      : content_(folder, "sim-d", size, script(fault)) {}

  Failure write(std::uint64_t offset, std::string text, std::uint64_t fault_number = 0) {
    return apply(DP_OP_WRITE, offset, text, fault_number);
  }
  std::string read(std::uint64_t offset, std::size_t length, std::uint64_t fault_number = 0) {
    std::string text(length, '?');
    CHECK(apply(DP_OP_READ, offset, text, fault_number).code == DP_OK);
    return text;
  }
  Failure other(dp_op op, std::uint64_t offset = 0, std::size_t length = 0) {
    std::string text(length, '?');
    return apply(op, offset, text, 0);
  }

 private:
  static Script script(Fault fault) {
    Script script;
    script.content = true;
    script.fault = fault;
    script.service.seed = 1;
    return script;
  }
  Failure apply(dp_op op, std::uint64_t offset, std::string& text, std::uint64_t fault_number) {
    dp_io io{};
    io.op = static_cast<std::uint8_t>(op);
    io.offset = offset;
    io.data = text.data();
    io.length = static_cast<std::uint32_t>(text.size());
    return content_.apply(io, io.length, fault_number);
  }

  Content content_;
};

std::string zeros(std::size_t length) { return std::string(length, '\0'); }

int different_bits(const std::string& a, const std::string& b) {
  int count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += std::popcount(static_cast<unsigned char>(a[i] ^ b[i]));
  return count;
}

constexpr Fault kAll[] = {Fault::none,
                          Fault::bit_flip,
                          Fault::torn,
                          Fault::misplaced,
                          Fault::lost,
                          Fault::lost_unless_flushed,
                          Fault::lost_though_flushed,
                          Fault::stale};

}  // namespace

TEST_CASE("sim content: odd sizes at odd offsets, trims and zeroings read back like a plain array") {
  const Dice dice(5);
  for (const Fault fault : kAll) {  // no operation is chosen: all are right
    CAPTURE(static_cast<int>(fault));
    Disk disk(fault);
    std::string plain = zeros(kSize);
    for (std::uint64_t i = 0; i < 300; ++i) {
      const std::uint64_t offset = dice.pick(Stream::service, i, kSize);
      const std::uint64_t length = dice.pick(Stream::slow, i, std::min<std::uint64_t>(kSize - offset, 20'000) + 1);
      const std::uint64_t kind = dice.pick(Stream::cache, i, 4);
      if (kind == 3) {
        REQUIRE(disk.other(i % 2 == 0 ? DP_OP_TRIM : DP_OP_WRITE_ZEROES, offset, length).code == DP_OK);
        plain.replace(offset, length, zeros(length));
      } else if (kind == 0) {
        REQUIRE(disk.read(offset, length) == plain.substr(offset, length));
      } else {
        const std::string data(length, static_cast<char>('a' + i % 26));
        REQUIRE(disk.write(offset, data).code == DP_OK);
        plain.replace(offset, length, data);
      }
    }
    CHECK(disk.read(0, kSize) == plain);
  }
}

TEST_CASE("sim content: a bit flip is one bit of the chosen write") {
  Disk disk(Fault::bit_flip);
  const std::string data(4097, 'a');
  for (std::uint64_t number = 1; number <= 20; ++number) {
    CAPTURE(number);
    REQUIRE(disk.write(1000, data, number).code == DP_OK);
    CHECK(different_bits(disk.read(1000, data.size()), data) == 1);
    CHECK(disk.read(1000 + data.size(), 1000) == zeros(1000));
  }
  disk.write(1000, data);
  CHECK(disk.read(1000, data.size()) == data);
}

TEST_CASE("sim content: of a torn write the first half is there, in whole sectors") {
  Disk disk(Fault::torn);
  disk.write(0, std::string(4096, 'o'));
  disk.write(0, std::string(4096, 'n'), 1);
  CHECK(disk.read(0, 4096) == std::string(2048, 'n') + std::string(2048, 'o'));
  disk.write(0, std::string(1536, 'm'), 2);
  CHECK(disk.read(0, 1536) == std::string(512, 'm') + std::string(1024, 'n'));
  disk.write(0, std::string(100, 'l'), 3);
  CHECK(disk.read(0, 100) == std::string(50, 'l') + std::string(50, 'm'));
}

TEST_CASE("sim content: a misplaced write is behind its place, at the end before it, and never outside") {
  Disk disk(Fault::misplaced, nullptr, 10'000);
  disk.write(1000, std::string(500, 'a'), 1);
  CHECK(disk.read(1000, 1000) == zeros(500) + std::string(500, 'a'));
  disk.write(9500, std::string(500, 'b'), 2);
  CHECK(disk.read(9000, 1000) == std::string(500, 'b') + zeros(500));
  const std::string before = disk.read(0, 10'000);
  disk.write(2000, std::string(8000, 'c'), 3);
  CHECK(disk.read(0, 10'000) == before);
}

TEST_CASE("sim content: a lost write leaves what was there") {
  Disk disk(Fault::lost);
  disk.write(0, "old");
  CHECK(disk.write(0, "new", 1).code == DP_OK);
  CHECK(disk.read(0, 3) == "old");
  disk.other(DP_OP_FSYNC);
  CHECK(disk.read(0, 3) == "old");
}

TEST_CASE(
    "sim content: what a volatile cache holds is read until its process ends, and kept if it was flushed in time") {
  struct Row {
    const char* name;
    Fault fault;
    bool flushed, kept;
  };
  const Row rows[] = {{"not flushed", Fault::lost_unless_flushed, false, false},
                      {"flushed", Fault::lost_unless_flushed, true, true},
                      {"a disk that lies", Fault::lost_though_flushed, true, false}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const TempFolder folder;
    const std::string path = folder.path("");
    {
      Disk disk(row.fault, path.c_str());
      disk.write(0, "old-old-old");
      disk.write(4, "new", 1);
      CHECK(disk.read(0, 11) == "old-new-old");
      disk.write(8, "sum");
      CHECK(disk.read(0, 11) == "old-new-sum");
      if (row.flushed) disk.other(DP_OP_FDATASYNC);
      CHECK(disk.read(0, 11) == "old-new-sum");
    }
    CHECK(Disk(row.fault, path.c_str()).read(0, 11) == (row.kept ? "old-new-sum" : "old-old-sum"));
  }
}

TEST_CASE("sim content: a later write in its place outlives the power cut") {
  const TempFolder folder;
  const std::string path = folder.path("");
  {
    Disk disk(Fault::lost_though_flushed, path.c_str());
    disk.write(0, "aaaaaa", 1);
    disk.write(2, "bb");
    CHECK(disk.read(0, 6) == "aabbaa");
    disk.other(DP_OP_TRIM, 4, 2);
    CHECK(disk.read(0, 6) == "aabb" + zeros(2));
  }
  CHECK(Disk(Fault::none, path.c_str()).read(0, 6) == zeros(2) + "bb" + zeros(2));
}

TEST_CASE("sim content: a stale read gives each byte as it was before its last write, also in a later process") {
  const TempFolder folder;
  const std::string path = folder.path("");
  {
    Disk disk(Fault::stale, path.c_str());
    disk.write(0, "111111");
    disk.write(2, "22");
    CHECK(disk.read(0, 6, 1) == zeros(2) + "11" + zeros(2));
    CHECK(disk.read(0, 6) == "112211");
  }
  Disk disk(Fault::stale, path.c_str());
  CHECK(disk.read(2, 2, 1) == "11");
  CHECK(disk.read(2, 2) == "22");
}

TEST_CASE("sim content: far ends of a huge disk cost nothing, and beyond what a file can hold is an error") {
  const TempFolder folder;
  const std::string path = folder.path("");
  Disk disk(Fault::none, path.c_str(), std::uint64_t{1} << 60);
  CHECK(disk.write((std::uint64_t{4} << 40) - 7, "far away").code == DP_OK);
  CHECK(disk.read((std::uint64_t{4} << 40) - 7, 8) == "far away");
  CHECK(disk.read(std::uint64_t{1} << 41, 4) == zeros(4));
  CHECK(disk.write((std::uint64_t{1} << 59), "x").code != DP_OK);  // which one depends on the system
}

TEST_CASE("sim content: a folder that is not there is told with its path") {
  std::string text;
  try {
    const Disk disk(Fault::none, "/nonexistent/folder");
  } catch (const dp::EngineError& error) {
    text = error.what();
  }
  CHECK(text.starts_with("open /nonexistent/folder"));
  CHECK(text.find("sim-d.content: ") != std::string::npos);
}
