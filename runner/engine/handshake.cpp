// The handshake, in the order in which trust grows: the frozen first 16 bytes, the rest of the manifest, the table.
#include "engine/handshake.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/core.h>
#include <set>
#include <string>
#include <utility>

#include "engine/code.hpp"
#include "engine/engine_info.hpp"
#include "engine/options.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kMostOptions = 1000;
constexpr std::size_t kLongestText = 64 * 1024;  // bytes
constexpr std::uint64_t kKnownCapabilities = DP_CAP_STAMPS * 2 - 1;
constexpr std::uint64_t kKnownOperations = (std::uint64_t{1} << DP_OP_WRITE_ZEROES) * 2 - 1;

template <class... Args>
[[noreturn]] void refuse(const std::string& where, fmt::format_string<Args...> format, Args&&... args) {
  throw HandshakeError(fmt::format("engine {}: {}", where, fmt::format(format, std::forward<Args>(args)...)));
}

bool is_snake_case(std::string_view name) {
  return !name.empty() && name.front() >= 'a' && name.front() <= 'z' &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

// Reads it to its end: a pointer that leads nowhere is found here and not where the text is shown.
bool is_endless(const char* text) { return std::memchr(text, '\0', kLongestText) == nullptr; }

void check_version(const dp_manifest& manifest, const std::string& where) {
  if (manifest.magic != DP_MANIFEST_MAGIC)
    refuse(where, "the manifest starts with {:#010x}, not with {:#010x}: not a diskproof engine", manifest.magic,
           DP_MANIFEST_MAGIC);
  if (manifest.abi_major != DP_ABI_MAJOR)
    refuse(where,
           "built for contract {}.{}, this runner speaks {}.{}: major versions must be equal; rebuild the engine",
           manifest.abi_major, manifest.abi_minor, DP_ABI_MAJOR, DP_ABI_MINOR);
  if (manifest.abi_minor != DP_ABI_MINOR)
    refuse(
        where,
        "built for contract {}.{}, this runner speaks {}.{}: minor versions must be equal until contract 1.0; rebuild "
        "the engine",
        manifest.abi_major, manifest.abi_minor, DP_ABI_MAJOR, DP_ABI_MINOR);
  if (manifest.manifest_size != sizeof(dp_manifest))
    refuse(where, "the manifest says it has {} bytes, expected {}", manifest.manifest_size, sizeof(dp_manifest));
}

// "option chunk: …", or empty when the row is sane.
std::string option_fault(const dp_option& row) {
  if (row.help == nullptr) return "has no help text";
  if (is_endless(row.help)) return fmt::format("has a help text of more than {} bytes", kLongestText);
  if (row.choices != nullptr && is_endless(row.choices))
    return fmt::format("has choices of more than {} bytes", kLongestText);
  if (row.type > DP_OPTION_BANDWIDTH) return fmt::format("has the unknown type {}", row.type);
  if (row.scope > DP_SCOPE_QUEUE) return fmt::format("has the unknown scope {}", row.scope);
  if ((row.flags & ~std::uint32_t{DP_OPTION_SECRET}) != 0) return fmt::format("has unknown flags {:#x}", row.flags);
  if (row.min > row.max) return fmt::format("has a minimum {} above its maximum {}", row.min, row.max);
  if ((row.choices != nullptr) != (row.type == DP_OPTION_ENUM))
    return row.choices != nullptr ? "has choices but is no enum" : "is an enum without choices";
  return {};
}

void check_options(const dp_manifest& manifest, const std::string& where) {
  if (manifest.option_count > kMostOptions)
    refuse(where, "the option table says it has {} rows, at most {} are allowed", manifest.option_count, kMostOptions);
  if (manifest.option_count > 0 && manifest.options == nullptr)
    refuse(where, "the option table says it has {} rows but is missing", manifest.option_count);
  std::set<std::string> names;
  for (std::uint64_t i = 0; i < manifest.option_count; ++i) {
    const dp_option& row = manifest.options[i];
    if (row.name == nullptr || !is_snake_case(row.name))
      refuse(where, "row {} of the option table has the name '{}', expected [a-z][a-z0-9_]*", i,
             row.name == nullptr ? "" : row.name);
    if (!names.insert(row.name).second) refuse(where, "the option table has '{}' twice", row.name);
    if (const std::string fault = option_fault(row); !fault.empty()) refuse(where, "option {} {}", row.name, fault);
  }
  for (const EngineOption& option : option_values(manifest)) {
    std::set<std::string> choices(option.choices.begin(), option.choices.end());
    if (choices.size() != option.choices.size() || choices.contains(""))
      refuse(where, "option {} has an empty or repeated choice", option.name);
    if (!option.default_value) continue;
    if (const std::string fault = canonical_fault(option, *option.default_value); !fault.empty())
      refuse(where, "option {} has the default '{}': {}", option.name, *option.default_value, fault);
  }
}

void check_slots(const dp_engine_api& api, const std::string& where) {
  const std::pair<const char*, bool> slots[] = {
      {"probe", api.probe != nullptr},           {"create", api.create != nullptr},
      {"destroy", api.destroy != nullptr},       {"target_info", api.target_info != nullptr},
      {"queue_open", api.queue_open != nullptr}, {"queue_close", api.queue_close != nullptr},
      {"submit", api.submit != nullptr},         {"reap", api.reap != nullptr},
      {"cancel", api.cancel != nullptr}};
  for (const auto& [name, present] : slots)
    if (!present) refuse(where, "the table has no {}, which every engine must have", name);
}

void check_capabilities(const dp_manifest& manifest, const dp_engine_api& api, const std::string& where) {
  const bool says_names = (manifest.capabilities & DP_CAP_NAMES) != 0;
  if (says_names && api.submit_names == nullptr)
    refuse(where, "the manifest says DP_CAP_NAMES but the table has no submit_names");
  if (!says_names && api.submit_names != nullptr)
    refuse(where, "the table has submit_names but the manifest does not say DP_CAP_NAMES");
}

}  // namespace

void check_manifest(const dp_manifest& manifest, const std::string& where, std::string_view expected_name) {
  check_version(manifest, where);
  if (manifest.name == nullptr || !is_snake_case(manifest.name))
    refuse(where, "the manifest's name is '{}', expected [a-z][a-z0-9_]*",
           manifest.name == nullptr ? "" : manifest.name);
  if (!expected_name.empty() && expected_name != manifest.name)
    refuse(where, "the manifest's name is '{}' but the file is named for '{}'; rename the file", manifest.name,
           expected_name);
  if (manifest.version == nullptr || manifest.summary == nullptr)
    refuse(where, "the manifest has no {}", manifest.version == nullptr ? "version" : "summary");
  for (const char* text : {manifest.version, manifest.summary}) {
    if (is_endless(text)) refuse(where, "its version or summary has more than {} bytes", kLongestText);
  }
  if ((manifest.capabilities & ~kKnownCapabilities) != 0)
    refuse(where, "the manifest has unknown capabilities {:#x}", manifest.capabilities & ~kKnownCapabilities);
  if (manifest.operations == 0 || (manifest.operations & ~kKnownOperations) != 0)
    refuse(where, "the manifest's operations are {:#x}, expected bits of {:#x}", manifest.operations, kKnownOperations);
  constexpr std::uint64_t kWhere = DP_CAP_NO_TARGET | DP_CAP_FILES | DP_CAP_DEVICES | DP_CAP_URLS;
  if ((manifest.capabilities & kWhere) == 0)
    refuse(where, "the manifest names no kind of target: files, devices, URLs or none");
  if ((manifest.capabilities & DP_CAP_SYNC) != 0 && manifest.max_depth != 1)
    refuse(where, "the manifest says DP_CAP_SYNC with max_depth {}, expected 1", manifest.max_depth);
  check_options(manifest, where);
}

const dp_engine_api& open_engine(const dp_manifest& manifest, dp_engine_open_fn open, const dp_host& host,
                                 const std::string& where) {
  dp_error error{};
  const dp_engine_api* api = open(&host, &error);
  if (api == nullptr) refuse(where, "refused to start: {}", failure_text(error.code, error));
  if (api->size != sizeof(dp_engine_api))
    refuse(where, "the table says it has {} bytes, expected {}", api->size, sizeof(dp_engine_api));
  check_slots(*api, where);
  check_capabilities(manifest, *api, where);
  return *api;
}

}  // namespace diskproof
