// The two layouts. Depth is that of the report model, a handful of levels.
#include "report/json_text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/xml.hpp"

namespace diskproof {
namespace {

using Json = nlohmann::ordered_json;

// Nearly all texts and keys: what stands in quotes as it is.
bool is_plain(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

// DEL and C1 as \u00XX too: JSON allows them as they are, and a terminal obeys them.
std::string text_of(const std::string& value) {
  if (is_plain(value)) return '"' + value + '"';
  std::string text;
  const std::string json = Json(valid_utf8(value)).dump(-1, ' ', false, Json::error_handler_t::replace);
  for (std::size_t at = 0; at < json.size(); ++at) {
    const auto byte = [&](std::size_t i) { return i < json.size() ? static_cast<unsigned char>(json[i]) : 0U; };
    if (byte(at) == 0x7F) {
      text += "\\u007f";
    } else if (byte(at) == 0xC2 && byte(at + 1) < 0xA0) {
      text += fmt::format("\\u{:04x}", byte(++at));
    } else {
      text += json[at];
    }
  }
  return text;
}

std::string scalar(const Json& json) {
  return json.is_string() ? text_of(json.get_ref<const std::string&>()) : json.dump();
}

bool is_flat(const Json& json) {
  return json.empty() ||
         (json.is_array() && std::ranges::none_of(json, [](const Json& item) { return item.is_structured(); }));
}

void write(const Json& json, std::size_t indent, bool pretty, std::string& out) {
  if (!json.is_structured()) {
    out += scalar(json);
    return;
  }
  const bool object = json.is_object();
  const bool broken = pretty && !is_flat(json);
  const std::string inner = broken ? "\n" + std::string(indent + 2, ' ') : "";
  out += object ? '{' : '[';
  bool first = true;
  for (const auto& item : json.items()) {
    if (!first) out += broken || !pretty ? "," : ", ";
    first = false;
    out += inner;
    if (object) out += text_of(item.key()) + (pretty ? ": " : ":");
    write(item.value(), indent + 2, pretty, out);
  }
  if (broken) out += "\n" + std::string(indent, ' ');
  out += object ? '}' : ']';
}

}  // namespace

std::string pretty_json(const Json& json) {
  std::string text;
  write(json, 0, true, text);
  return text + "\n";
}

std::string compact_json(const Json& json) {
  std::string text;
  write(json, 0, false, text);
  return text;
}

}  // namespace diskproof
