// One table of code, name and meaning.
#include "engine/code.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <iterator>

namespace diskproof {
namespace {

struct Meaning {
  std::string_view name, text;
};
constexpr Meaning kMeanings[] = {
    {"ok", "no error"},
    {"eio", "the medium or the server failed the I/O"},
    {"einval", "alignment, length, offset or option not accepted"},
    {"enospc", "no space left or quota reached"},
    {"enoent", "no such name"},
    {"eexist", "the name exists already"},
    {"eacces", "permission denied or read-only"},
    {"enomem", "out of memory or over a limit of the kernel"},
    {"enotsup", "not possible on this target or kernel"},
    {"etimedout", "the engine's own time limit passed"},
    {"ecanceled", "cancelled"},
    {"enodev", "the device or server is gone"},
    {"ebusy", "in use by somebody else"},
    {"enotdir", "a path component is not a directory"},
    {"eisdir", "the name is a directory"},
    {"enotempty", "the directory has entries"},
    {"eauth", "credentials missing or refused"},
    {"eother", "an error without a code of its own"},
};
static_assert(std::size(kMeanings) == DP_EOTHER + 1);
constexpr Meaning kUnknown{"unknown", "a code that the contract does not have"};

const Meaning& meaning(std::int64_t code) noexcept {
  const std::uint64_t index = code < 0 ? 0 - static_cast<std::uint64_t>(code) : static_cast<std::uint64_t>(code);
  return index < std::size(kMeanings) ? kMeanings[index] : kUnknown;
}

}  // namespace

std::string_view code_name(std::int64_t code) noexcept { return meaning(code).name; }
std::string_view code_text(std::int64_t code) noexcept { return meaning(code).text; }

std::string failure_text(std::int64_t status, const dp_error& error) {
  const std::string_view text(
      error.text,
      static_cast<std::size_t>(std::find(std::begin(error.text), std::end(error.text), '\0') - std::begin(error.text)));
  const std::string number = error.os_code == 0 ? "" : fmt::format(", system code {}", error.os_code);
  if (text.empty())
    return fmt::format("{} ({}{}); the engine did not say why", code_text(status), code_name(status), number);
  return fmt::format("{} ({}{})", text, code_name(status), number);
}

}  // namespace diskproof
