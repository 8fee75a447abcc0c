// Comparison of what a job says with what was found.
#include "target/device_identity.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

#include "support/units.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kMarketedStep = 100'000'000;  // a tenth of a decimal gigabyte
constexpr std::uint64_t kMarketedExcess = 2000;       // a drive holds up to 1/2000 more than is printed on it

// Blanks and underscores are one: udev writes the one for the other.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '_';
    if (!blank) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::string plain_wwn(std::string_view text) {
  std::string out = plain(text);
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const std::string_view prefix : {"wwn-", "naa.", "eui.", "0x"}) {
    if (out.starts_with(prefix)) out.erase(0, prefix.size());
  }
  return out;
}

using Form = std::function<std::string(std::string_view)>;

void compare(std::vector<std::string>& out, const char* what, const std::string& found,
             const std::optional<std::string>& asked, const Form& form) {
  if (!asked || (!form(found).empty() && form(found) == form(*asked))) return;
  const std::string is =
      found.empty() ? fmt::format("its {} is not known", what) : fmt::format("its {} is {}", what, found);
  out.push_back(fmt::format("{}, the job asks for {}", is, *asked));
}

std::string size_text(std::uint64_t bytes) { return fmt::format("{} ({} bytes)", format_bytes(bytes), bytes); }

}  // namespace

bool size_matches(std::uint64_t actual, std::uint64_t asked) {
  if (asked % kMarketedStep != 0) return actual == asked;
  return actual >= asked && actual - asked <= asked / kMarketedExcess;
}

std::vector<std::string> identity_mismatches(const DeviceFacts& facts, const DeviceIdentity& identity) {
  std::vector<std::string> out;
  compare(out, "serial", facts.serial, identity.serial, plain);
  compare(out, "WWN", facts.wwn, identity.wwn, plain_wwn);
  compare(out, "model", facts.model, identity.model, plain);
  compare(out, "firmware", facts.firmware, identity.firmware, plain);
  if (identity.size && !size_matches(facts.size, *identity.size)) {
    out.push_back(fmt::format("its size is {}, the job asks for {}", size_text(facts.size), size_text(*identity.size)));
  }
  if (identity.min_size && facts.size < *identity.min_size) {
    out.push_back(fmt::format("its size is {}, the job asks for {} or more", size_text(facts.size),
                              size_text(*identity.min_size)));
  }
  if (identity.rotational && facts.rotational != *identity.rotational) {
    const auto text = [](bool rotational) { return rotational ? "rotational" : "not rotational"; };
    out.push_back(
        fmt::format("it is {}, the job asks for one that is {}", text(facts.rotational), text(*identity.rotational)));
  }
  return out;
}

std::vector<std::string> consent_ids(const DeviceFacts& facts) {
  const std::string part = facts.partition > 0 ? fmt::format("-part{}", facts.partition) : "";
  std::vector<std::string> ids;
  if (!facts.serial.empty()) ids.push_back(facts.serial + part);
  if (!facts.wwn.empty()) ids.push_back(facts.wwn + part);
  return ids;
}

bool is_consent_id(const DeviceFacts& facts, const std::string& id) {
  const std::string part = facts.partition > 0 ? fmt::format("-part{}", facts.partition) : "";
  return (!facts.serial.empty() && plain(id) == plain(facts.serial + part)) ||
         (!facts.wwn.empty() && plain_wwn(id) == plain_wwn(facts.wwn + part));
}

}  // namespace diskproof
