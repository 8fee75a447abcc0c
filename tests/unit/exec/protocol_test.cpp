// Frames: any cut, any bytes.
#include "exec/protocol.hpp"

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "exec/random.hpp"
#include "support/error.hpp"

using namespace diskproof;

namespace {

std::string header(std::uint32_t type, std::uint32_t length) {
  std::string bytes;
  for (const std::uint32_t value : {type, length}) {
    for (unsigned shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>((value >> shift) & 0xff));
  }
  return bytes;
}

}  // namespace

TEST_CASE("protocol: a frame is type, length and payload in little-endian") {
  CHECK(encode_frame(FrameType::result, "abc") == header(23, 3) + "abc");
  CHECK(encode_frame(FrameType::stop, "") == header(4, 0));
}

TEST_CASE("protocol: frames may be cut anywhere") {
  const std::string payloads[] = {"", "x", std::string(300, '\0'), std::string("a\n\xff\x00z", 5)};
  std::string stream;
  for (const std::string& payload : payloads) stream += encode_frame(FrameType::tick, payload);
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    CAPTURE(cut);
    FrameReader reader;
    std::vector<std::string> got;
    for (const std::string& piece : {stream.substr(0, cut), stream.substr(cut)}) {
      reader.feed(piece);
      while (auto frame = reader.next()) {
        REQUIRE(frame->type == FrameType::tick);
        got.push_back(std::move(frame->payload));
      }
    }
    CHECK(got == std::vector<std::string>(std::begin(payloads), std::end(payloads)));
    CHECK_FALSE(reader.next().has_value());
  }
}

TEST_CASE("protocol: bytes may come one at a time") {
  const std::string stream = encode_frame(FrameType::hello, "one") + encode_frame(FrameType::ready, "{}");
  FrameReader reader;
  std::vector<std::pair<std::size_t, std::string>> got;
  for (std::size_t i = 0; i < stream.size(); ++i) {
    reader.feed(stream.substr(i, 1));
    while (auto frame = reader.next()) got.emplace_back(i + 1, frame->payload);
  }
  CHECK(got == std::vector<std::pair<std::size_t, std::string>>{{11, "one"}, {21, "{}"}});
}

TEST_CASE("protocol: a reader survives many large frames") {
  FrameReader reader;
  std::string stream;
  for (char c = 'a'; c < 'a' + 20; ++c) stream += encode_frame(FrameType::interval, std::string(30000, c));
  for (std::size_t at = 0, step = 4097; at < stream.size(); at += step) reader.feed(stream.substr(at, step));
  for (char c = 'a'; c < 'a' + 20; ++c) {
    const auto frame = reader.next();
    REQUIRE(frame.has_value());
    CHECK(frame->payload == std::string(30000, c));
  }
  CHECK_FALSE(reader.next().has_value());
}

TEST_CASE("protocol: an oversized length is refused before anything is kept for it") {
  FrameReader reader;
  reader.feed(header(23, static_cast<std::uint32_t>(kMaxFramePayload)));
  CHECK_FALSE(reader.next().has_value());  // the largest that is allowed, not here yet
  for (const std::uint32_t length : {static_cast<std::uint32_t>(kMaxFramePayload) + 1, ~std::uint32_t{0}}) {
    FrameReader refusing;
    refusing.feed(header(23, length));
    CHECK_THROWS_WITH_AS(refusing.next(), ("a frame of type 23 announces " + std::to_string(length) + " bytes").c_str(),
                         Error);
  }
}

TEST_CASE("protocol: random bytes are frames or an error, never more") {
  Random random(7);
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(random.next() % 200, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.next());
    // Every other one with a plausible length, so that payloads are cut too.
    if (round % 2 == 0 && bytes.size() >= 8) bytes.replace(4, 4, header(0, 5).substr(4));
    FrameReader reader;
    reader.feed(bytes);
    try {
      std::size_t size = 0;
      while (auto frame = reader.next()) size += kFrameHeader + frame->payload.size();
      CHECK(size <= bytes.size());
    } catch (const Error&) {
      ++refused;
    }
  }
  CHECK(refused > 500);
}

TEST_CASE("protocol: the build id names version and protocol") {
  CHECK(build_id().find(" protocol ") != std::string::npos);
  CHECK(build_id() == build_id());
}
