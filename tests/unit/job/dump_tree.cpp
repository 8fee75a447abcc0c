// For the comparison with another schema validator: one line of JSON per job file, {"file", "tree", "valid"}, where
// `valid` is the verdict of our schema check alone. Keys of later versions count as valid: only we know the mark.
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

#include "job/job_schema.hpp"
#include "job/schema_validator.hpp"
#include "job/yaml_reader.hpp"

using namespace diskproof;

namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string number(std::string_view text) {
  const bool negative = text.front() == '-';
  if (negative || text.front() == '+') text.remove_prefix(1);
  while (text.size() > 1 && text[0] == '0' && text[1] != '.') text.remove_prefix(1);
  return (negative ? "-" : "") + std::string(text);
}

std::string json(const Node& node) {
  std::string result;
  switch (node.kind) {
    case Node::Kind::null:
      return "null";
    case Node::Kind::scalar: {
      const ScalarType type = scalar_type(node);
      if (type == ScalarType::string) return quoted(node.text);
      return type == ScalarType::boolean ? node.text : number(node.text);
    }
    case Node::Kind::list:
      for (const Node& item : node.items) result += (result.empty() ? "" : ",") + json(item);
      return "[" + result + "]";
    case Node::Kind::map:
      for (const Entry& entry : node.entries) {
        result += (result.empty() ? "" : ",") + quoted(entry.key) + ":" + json(entry.value);
      }
      return "{" + result + "}";
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const Schema schema(job_schema_text());
  for (int i = 1; i < argc; ++i) {
    const YamlDocument document = read_yaml_file(argv[i]);
    if (!document.root || has_errors(document.diagnostics)) continue;  // not a question of the schema
    Diagnostics faults;
    validate(*document.root, schema, argv[i], faults);
    const bool valid = std::all_of(faults.begin(), faults.end(), [](const Diagnostic& one) {
      return one.message == "not available in this version";
    });
    fmt::print("{{\"file\":{},\"valid\":{},\"tree\":{}}}\n", quoted(argv[i]), valid, json(*document.root));
  }
  return 0;
}
