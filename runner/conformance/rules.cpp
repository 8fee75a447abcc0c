// The rules of all families in one list.
#include <vector>

#include "conformance/rule.hpp"

namespace diskproof {

std::span<const ConformanceRule> conformance_rules() {
  static const std::vector<ConformanceRule> all = [] {
    std::vector<ConformanceRule> rules;
    for (const auto& family : {engine_rules(), open_rules(), submit_rules(), reap_rules(), cancel_rules(), data_rules(),
                               placement_rules(), error_rules(), queue_rules(), name_rules(), manner_rules()}) {
      rules.insert(rules.end(), family.begin(), family.end());
    }
    return rules;
  }();
  return all;
}

}  // namespace diskproof
