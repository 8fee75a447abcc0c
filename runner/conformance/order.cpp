// Orders and verdicts as JSON.
#include "conformance/order.hpp"

#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "support/error.hpp"

namespace diskproof {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<RuleOutcome, const char*>, 5> kNames{{{RuleOutcome::pass, "pass"},
                                                                     {RuleOutcome::violation, "violation"},
                                                                     {RuleOutcome::not_applicable, "not applicable"},
                                                                     {RuleOutcome::cannot_run, "cannot run"},
                                                                     {RuleOutcome::not_run, "not run"}}};

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

template <class Read>
auto parse(const char* frame, const std::string& text, Read read) {
  try {
    return read(Json::parse(text));
  } catch (const nlohmann::json::exception& fault) {
    throw Error(ErrorKind::failed, fmt::format("malformed {} frame: {}", frame, fault.what()));
  }
}

}  // namespace

const char* outcome_name(RuleOutcome outcome) noexcept {
  for (const auto& [value, name] : kNames) {
    if (value == outcome) return name;
  }
  return "unknown";
}

std::string order_text(const RuleOrder& order) {
  return dump({{"library", order.library},
               {"rule", order.rule},
               {"folder", order.folder},
               {"options", order.options},
               {"patience", order.patience},
               {"url", order.url},
               {"url_folder", order.url_folder}});
}

RuleOrder parse_order(const std::string& text) {
  return parse("rule", text, [](const Json& json) {
    return RuleOrder{
        json.at("library").get<std::string>(),    json.at("rule").get<std::string>(),
        json.at("folder").get<std::string>(),     json.at("options").get<std::map<std::string, std::string>>(),
        json.at("patience").get<std::uint64_t>(), json.at("url").get<std::string>(),
        json.at("url_folder").get<std::string>()};
  });
}

std::string verdict_text(const RuleVerdict& verdict) {
  return dump({{"outcome", outcome_name(verdict.outcome)}, {"note", verdict.note}});
}

RuleVerdict parse_verdict(const std::string& text) {
  return parse("verdict", text, [](const Json& json) {
    const auto name = json.at("outcome").get<std::string>();
    for (const auto& [value, known] : kNames) {
      if (name == known) return RuleVerdict{value, json.at("note").get<std::string>()};
    }
    throw Error(ErrorKind::failed, fmt::format("malformed verdict frame: the outcome is '{}'", name));
  });
}

}  // namespace diskproof
