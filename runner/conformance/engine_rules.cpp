// The engine before any queue: handshake, probe, create and destroy, the values that its option table allows.
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <vector>

#include "conformance/leaks.hpp"
#include "conformance/rig.hpp"
#include "conformance/rule.hpp"
#include "engine/code.hpp"
#include "engine/engine_info.hpp"
#include "engine/handshake.hpp"
#include "support/error.hpp"

namespace diskproof {
namespace {

// Loading it was the handshake; asking again must change nothing.
std::string handshake(Subject& subject) {
  subject.trace().enter("dp_engine_open");
  const dp_manifest& manifest = subject.library().manifest();
  const std::string name = manifest.name;
  check_manifest(manifest, subject.library().path(), engine_name_of(subject.library().path()));
  return fmt::format("{} {}, contract {}.{}", name, manifest.version, manifest.abi_major, manifest.abi_minor);
}

struct Answer {
  std::int32_t status;
  dp_error error;
};

Answer ask(Subject& subject) {
  Answer answer{};
  subject.trace().enter("probe");
  answer.status = subject.library().api().probe(&answer.error);
  return answer;
}

// A failed call: a code of the contract, the same in both places, and words.
void need_error(const char* call, std::int32_t status, const dp_error& error) {
  if (status > 0 || status < -DP_EOTHER)
    throw Violation(fmt::format("{} returned {}, which is neither 0 nor a code of the contract", call, status));
  if (error.code != -status)
    throw Violation(fmt::format("{} returned {} but its error says {}", call, status, error.code));
  if (error.text[0] == '\0') throw Violation(fmt::format("{} failed with {} and did not say why", call, status));
  if (std::memchr(error.text, '\0', sizeof error.text) == nullptr)
    throw Violation(fmt::format("{} failed with a text that has no end", call));
}

std::string probe(Subject& subject) {
  const Answer first = ask(subject);
  if (first.status != 0) {
    need_error("probe", first.status, first.error);
    throw CannotRun(failure_text(first.status, first.error));
  }
  must_not_leak("probing", 10, [&] {
    const Answer again = ask(subject);
    if (again.status != 0)
      throw Violation(fmt::format("probe succeeded and then failed: {}", failure_text(again.status, again.error)));
  });
  return "";
}

std::string create(Subject& subject) {
  must_not_leak("creating and destroying the engine", 20, [&] { static_cast<void>(subject.create()); });
  return "";
}

std::vector<std::string> values_of(const EngineOption& option) {
  if (option.type == DP_OPTION_BOOL) return {"true", "false"};
  if (option.type == DP_OPTION_ENUM) return option.choices;
  if (option.min == 0 && option.max == 0) return {};
  if (option.type == DP_OPTION_NUMBER || option.type == DP_OPTION_STRING) return {};
  return {std::to_string(option.min), std::to_string(option.max)};
}

// Takes the value, or says why not; true when it took it.
bool takes(Subject& subject, const EngineOption& option, const std::string& value) {
  const std::string given = fmt::format("{}: {}", option.name, value);
  try {
    Rig rig(subject, subject.create({{option.name, value}}), {subject.place("data", 1 << 20)},
            {.depth = subject.depth()});
    return true;
  } catch (const Error& error) {
    const std::string text = error.what();
    if (text.find("did not say why") != std::string::npos)
      throw Violation(fmt::format("its own table allows {}, and it refused that without a reason: {}", given, text));
    if (text.find("(unknown") != std::string::npos)
      throw Violation(
          fmt::format("its own table allows {}, and it failed with no code of the contract: {}", given, text));
    return false;
  }
}

std::string options(Subject& subject) {
  std::string first;  // refusal
  int tried = 0, refused = 0;
  for (const EngineOption& option : option_values(subject.library().manifest())) {
    for (const std::string& value : values_of(option)) {
      ++tried;
      if (takes(subject, option, value)) continue;
      if (++refused == 1) first = fmt::format("{}: {}", option.name, value);
    }
  }
  if (tried == 0) throw NotApplicable("it has no option with bounds or choices");
  if (refused == 0) return fmt::format("{} values", tried);
  return fmt::format("{} values, {} refused with a reason, {} the first", tried, refused, first);
}

constexpr std::array kRules{
    ConformanceRule{"engine.handshake", "manifest and table are complete and agree", handshake},
    ConformanceRule{"engine.probe", "probe answers the same each time and leaves nothing behind", probe},
    ConformanceRule{"engine.create", "create and destroy leave nothing behind", create},
    ConformanceRule{"engine.options", "every bound and choice of the option table is taken, or refused with a reason",
                    options},
};

}  // namespace

std::span<const ConformanceRule> engine_rules() { return kRules; }

}  // namespace diskproof
