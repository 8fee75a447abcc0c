// Field by field; every class of faults under its name.
#include "metrics/verify_json.hpp"

#include <algorithm>
#include <string>

namespace diskproof {
namespace {

using Json = nlohmann::ordered_json;

Json fault_to_json(const VerifyFault& fault) {
  return {{"kind", kFaultNames[static_cast<std::size_t>(fault.kind)]},
          {"target", fault.target},
          {"offset", fault.offset},
          {"length", fault.length},
          {"expected", fault.expected},
          {"found", fault.found},
          {"text", fault.text}};
}

VerifyFault read_fault(const JsonReader& reader) {
  const std::string& name = reader.at("kind").text(kLongestText);
  const auto known = std::ranges::find(kFaultNames, name);
  if (known == kFaultNames.end()) reader.at("kind").fail("is none of the classes of faults");
  return {.kind = static_cast<FaultClass>(known - kFaultNames.begin()),
          .target = reader.at("target").text(kLongestText),
          .offset = reader.at("offset").count(),
          .length = reader.at("length").count(),
          .expected = reader.at("expected").count(),
          .found = reader.at("found").count(),
          .text = reader.at("text").text(kLongestText)};
}

}  // namespace

Json verify_to_json(const VerifyTotals& verify) {
  Json json{{"bytes", verify.bytes}, {"expected", verify.expected}, {"operations", verify.operations}};
  for (std::size_t i = 0; i < kFaultClasses; ++i) json[std::string(kFaultNames[i])] = verify.faulty[i];
  json["busy"] = verify.busy;
  json["wall"] = verify.wall;
  json["faults"] = Json::array();
  for (const VerifyFault& fault : verify.faults) json["faults"].push_back(fault_to_json(fault));
  return json;
}

VerifyTotals read_verify(const JsonReader& reader) {
  VerifyTotals verify;
  verify.bytes = reader.at("bytes").count();
  verify.expected = reader.at("expected").count();
  verify.operations = reader.at("operations").count();
  for (std::size_t i = 0; i < kFaultClasses; ++i) verify.faulty[i] = reader.at(kFaultNames[i].data()).count();
  verify.busy = reader.at("busy").count();
  verify.wall = reader.at("wall").count();
  const JsonReader faults = reader.at("faults");
  const std::size_t size = faults.array_size(VerifyTotals::kMostFaults);
  for (std::size_t i = 0; i < size; ++i) verify.faults.push_back(read_fault(faults.element(i)));
  return verify;
}

}  // namespace diskproof
