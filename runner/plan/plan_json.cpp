// Two archives over plan_fields: one writes JSON, one reads it and refuses whatever a planner would not have written.
#include "plan/plan_json.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "plan/enum_names.hpp"
#include "plan/plan_check.hpp"
#include "plan/plan_fields.hpp"
#include "support/error.hpp"

namespace diskproof {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void reject(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::failed, "the plan cannot be read: " + (path.empty() ? "it" : path) + " " + why);
}

// ---- writing ---------------------------------------------------------------------------------------------------

Json write(const std::string& text) { return text; }
Json write(bool value) { return value; }
Json write(double value) { return value; }
Json write(std::uint32_t value) { return value; }
Json write(std::uint64_t value) { return value; }

template <class Enum>
requires std::is_enum_v<Enum> Json write(Enum value) { return std::string(name_of(value)); }

template <class T>
Json write(const std::vector<T>& items);
template <class T>
Json write(const std::map<std::string, T>& items);
template <class T>
requires std::is_class_v<T> Json write(const T& value);

struct Writer {
  Json json = Json::object();
  template <class T>
  void operator()(const char* name, const T& field) {
    json[name] = write(field);
  }
  template <class T>
  void operator()(const char* name, const std::optional<T>& field) {
    if (field) (*this)(name, *field);
  }
};

template <class T>
requires std::is_class_v<T> Json write(const T& value) {
  Writer writer;
  describe(writer, value);
  return writer.json;
}

template <class T>
Json write(const std::vector<T>& items) {
  Json array = Json::array();
  for (const T& item : items) array.push_back(write(item));
  return array;
}

template <class T>
Json write(const std::map<std::string, T>& items) {
  Json object = Json::object();
  for (const auto& [key, item] : items) object[key] = write(item);
  return object;
}

// ---- reading ---------------------------------------------------------------------------------------------------

void read(const Json& json, const std::string& path, std::string& out) {
  if (!json.is_string()) reject(path, "is not text");
  out = json.get_ref<const std::string&>();
}

void read(const Json& json, const std::string& path, bool& out) {
  if (!json.is_boolean()) reject(path, "is not true or false");
  out = json.get<bool>();
}

void read(const Json& json, const std::string& path, double& out) {
  if (!json.is_number()) reject(path, "is not a number");
  out = json.get<double>();
  if (!std::isfinite(out)) reject(path, "is not a finite number");
}

void read(const Json& json, const std::string& path, std::uint64_t& out) {
  if (!json.is_number_integer() || (!json.is_number_unsigned() && json.get<std::int64_t>() < 0)) {
    reject(path, "is not a whole number from 0 to 2^64-1");
  }
  out = json.get<std::uint64_t>();
}

void read(const Json& json, const std::string& path, std::uint32_t& out) {
  std::uint64_t wide = 0;
  read(json, path, wide);
  if (wide > std::numeric_limits<std::uint32_t>::max()) reject(path, "is larger than 2^32-1");
  out = static_cast<std::uint32_t>(wide);
}

template <class Enum>
requires std::is_enum_v<Enum>
void read(const Json& json, const std::string& path, Enum& out) {
  std::string text;
  read(json, path, text);
  for (const auto& known : names_of(Enum{})) {
    if (known.name == text) {
      out = known.value;
      return;
    }
  }
  reject(path, "is none of the known words");
}

template <class T>
void read(const Json& json, const std::string& path, std::vector<T>& out);
template <class T>
void read(const Json& json, const std::string& path, std::map<std::string, T>& out);
template <class T>
requires std::is_class_v<T>
void read(const Json& json, const std::string& path, T& out);

struct Reader {
  const Json& json;
  const std::string& path;
  std::set<std::string, std::less<>> seen{};
  template <class T>
  void operator()(const char* name, T& field) {
    const std::string field_path = path.empty() ? name : path + "." + name;
    const auto found = json.find(name);
    if (found == json.end()) reject(field_path, "is missing");
    read(*found, field_path, field);
    seen.emplace(name);
  }
  template <class T>
  void operator()(const char* name, std::optional<T>& field) {
    field.reset();
    if (json.contains(name)) (*this)(name, field.emplace());
  }
};

template <class T>
requires std::is_class_v<T>
void read(const Json& json, const std::string& path, T& out) {
  if (!json.is_object()) reject(path, "is not an object");
  Reader reader{json, path};
  describe(reader, out);
  for (const auto& [key, value] : json.items()) {
    if (!reader.seen.contains(key)) reject(path.empty() ? key : path + "." + key, "is not a field of a plan");
  }
}

template <class T>
void read(const Json& json, const std::string& path, std::vector<T>& out) {
  if (!json.is_array()) reject(path, "is not an array");
  out.clear();
  for (const Json& item : json) {
    T value{};
    read(item, path + "[" + std::to_string(out.size()) + "]", value);
    out.push_back(std::move(value));
  }
}

template <class T>
void read(const Json& json, const std::string& path, std::map<std::string, T>& out) {
  if (!json.is_object()) reject(path, "is not an object");
  out.clear();
  for (const auto& [key, item] : json.items()) read(item, path + "." + key, out[key]);
}

}  // namespace

nlohmann::ordered_json plan_to_json(const Plan& plan) { return write(plan); }

Plan plan_from_json(const nlohmann::ordered_json& json, PlanUse use) {
  Plan plan;
  read(json, "", plan);
  if (use == PlanUse::record) return plan;
  if (const std::string fault = find_fault(plan); !fault.empty()) {
    throw Error(ErrorKind::failed, "the plan makes no sense: " + fault);
  }
  return plan;
}

Plan plan_from_text(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw Error(ErrorKind::failed, "the plan cannot be read: it is not JSON");
  return plan_from_json(json);
}

}  // namespace diskproof
