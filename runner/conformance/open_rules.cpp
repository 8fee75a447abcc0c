// queue_open: targets that it opens itself, that are not there, that are links; what a failure leaves; what it tells.
#include <array>
#include <bit>
#include <filesystem>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "conformance/leaks.hpp"
#include "conformance/rig.hpp"
#include "conformance/rule.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kSize = 64 * 1024;
constexpr const char* kNoFiles = "it does not work on files";

// The same target without a descriptor: the engine opens its path.
Place by_path(Place place) {
  place.spec.native_handle = -1;
  return place;
}

Place missing(const Subject& subject) {
  Place place;
  place.spec = {.spec = subject.path("nowhere"), .size = kSize, .native_handle = -1, .flags = DP_TARGET_WRITE};
  return place;
}

// What the engine says when the queue does not open; empty: it opened.
std::string refusal(const Subject& subject, std::vector<Place> places) {
  try {
    const Rig rig(subject, subject.create(), std::move(places), {});
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

std::string itself(Subject& subject) {
  subject.need_files(kNoFiles);
  subject.need_operation(DP_OP_READ);
  Rig rig(subject, subject.create(), {by_path(subject.place("data", kSize))}, {});
  rig.must_run(std::vector{rig.io(DP_OP_READ, 0, 4096)});
  for (std::uint64_t i = 0; i < 4096; ++i) {
    if (rig.buffer(0)[i] != file_byte(4096 + i))
      throw Violation(fmt::format("a file that the engine opened itself reads wrong at byte {}", 4096 + i));
  }
  return "";
}

std::string not_there(Subject& subject) {
  subject.need_files(kNoFiles);
  const std::string text = refusal(subject, {missing(subject)});
  if (text.empty()) throw Violation("queue_open succeeded on a file that does not exist");
  if (!subject.on_share() && std::filesystem::exists(path_from(subject.path("nowhere"))))
    throw Violation("queue_open created the file that did not exist");
  if (text.find("did not say why") != std::string::npos)
    throw Violation("queue_open failed on a file that does not exist, without a text");
  if (text.find("(enoent") == std::string::npos)
    throw Violation(fmt::format("queue_open failed on a file that does not exist, expected the code enoent: {}", text));
  return "";
}

std::string link(Subject& subject) {
  subject.need_files(kNoFiles);
  if (subject.on_share()) throw NotApplicable("the contract makes no links, so there is none on a share");
  Place place = by_path(subject.place("data", kSize));
  std::error_code failure;
  std::filesystem::create_symlink(path_from(place.spec.spec), path_from(subject.path("link")), failure);
  if (failure) throw NotApplicable(fmt::format("no symbolic link can be made here: {}", failure.message()));
  place.spec.spec = subject.path("link");
  if (refusal(subject, {place}).empty()) throw Violation("queue_open followed a symbolic link at the end of its path");
  return "";
}

std::string undone(Subject& subject) {
  subject.need_files(kNoFiles);
  const Place good = by_path(subject.place("data", kSize));
  const Place bad = missing(subject);
  const auto engine = subject.create();
  must_not_leak("opening a queue in vain", 20, [&] {
    try {
      const Rig rig(subject, engine, {good, bad}, {});
    } catch (const Error&) {
      return;
    }
    throw Violation("queue_open succeeded although the second target does not exist");
  });
  return "";
}

std::string info(Subject& subject) {
  const Place first = subject.place("first", kSize), second = subject.place("second", 2 * kSize);
  const Rig rig(subject, subject.create(), {first, second, first}, {});
  const dp_target_info one = rig.target_info(0), other = rig.target_info(1), same = rig.target_info(2);
  for (const auto& [info, size] : {std::pair{one, kSize}, {other, 2 * kSize}}) {
    if (info.size != 0 && info.size != size)
      throw Violation(fmt::format("target_info says {} bytes of a target of {}", info.size, size));
    for (const std::uint32_t alignment : {info.offset_alignment, info.memory_alignment}) {
      if (alignment != 0 && !std::has_single_bit(alignment))
        throw Violation(fmt::format("target_info gives an alignment of {}, not a power of two", alignment));
    }
  }
  const auto identity = [](const dp_target_info& info) {
    return std::tuple(info.volume_id, info.file_id, info.file_id_high);
  };
  if (identity(one) != identity(same)) throw Violation("target_info gives one file two identities");
  if (one.file_id != 0 && identity(one) == identity(other)) throw Violation("target_info gives two files one identity");
  return "";
}

constexpr std::array kRules{
    ConformanceRule{"open.itself", "without a descriptor the engine opens the path itself", itself},
    ConformanceRule{"open.missing", "a target that is not there is refused with its code and a text", not_there},
    ConformanceRule{"open.link", "a symbolic link at the end of a path is not followed", link},
    ConformanceRule{"open.undone", "a queue_open that fails leaves nothing behind", undone},
    ConformanceRule{"open.info", "target_info tells size, alignment and identity of each target", info},
};

}  // namespace

std::span<const ConformanceRule> open_rules() { return kRules; }

}  // namespace diskproof
