// The reading archive over report_fields.
#include "report/json_reader.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "metrics/run_data_json.hpp"
#include "plan/plan_json.hpp"
#include "report/report_fields.hpp"
#include "support/error.hpp"

namespace diskproof::result {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void reject(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::failed, path + " " + why);
}

void read(const Json& json, const std::string& path, std::string& out) {
  if (!json.is_string()) reject(path, "is not text");
  out = json.get_ref<const std::string&>();
}

template <class Integer>
requires std::integral<Integer>
void read(const Json& json, const std::string& path, Integer& out) {
  if (json.is_number_unsigned()) {
    const auto value = json.get<std::uint64_t>();
    if (std::in_range<Integer>(value)) return static_cast<void>(out = static_cast<Integer>(value));
  } else if (json.is_number_integer()) {
    const auto value = json.get<std::int64_t>();
    if (std::in_range<Integer>(value)) return static_cast<void>(out = static_cast<Integer>(value));
  }
  reject(path, "is not a whole number in range");
}

void read(const Json& json, const std::string& path, double& out) {
  if (!json.is_number() || !std::isfinite(json.get<double>())) reject(path, "is not a finite number");
  out = json.get<double>();
}

template <class Enum>
requires std::is_enum_v<Enum>
void read(const Json& json, const std::string& path, Enum& out) {
  std::string text;
  read(json, path, text);
  for (const auto& [known, name] : names_of(Enum{})) {
    if (name == text) return static_cast<void>(out = known);
  }
  reject(path, "is none of the known words");
}

void read(const Json& json, const std::string&, PhaseMetrics& out) { out = metrics_from_json(json); }
void read(const Json& json, const std::string&, std::vector<Interval>& out) { out = intervals_from_json(json); }

template <class T>
requires std::is_class_v<T>
void read(const Json& json, const std::string& path, T& out);

template <class T>
void read(const Json& json, const std::string& path, std::vector<T>& out) {
  if (!json.is_array()) reject(path, "is not an array");
  for (const Json& item : json) {
    out.emplace_back();
    read(item, path + "[" + std::to_string(out.size() - 1) + "]", out.back());
  }
}

struct Reader {
  const Json& json;
  const std::string& path;
  std::set<std::string, std::less<>> seen{};

  [[nodiscard]] std::string path_of(const std::string& name) const { return path.empty() ? name : path + "." + name; }

  const Json* find(const char* name) {
    const auto found = json.find(name);
    if (found == json.end()) return nullptr;
    seen.emplace(name);
    return &*found;
  }
  const Json& at(const char* name) {
    const Json* found = find(name);
    if (!found) reject(path_of(name), "is missing");
    return *found;
  }

  template <class T>
  void operator()(const char* name, T& field) {
    read(at(name), path_of(name), field);
  }
  template <class T>
  void operator()(const char* name, std::optional<T>& field) {
    if (const Json* found = find(name)) read(*found, path_of(name), field.emplace());
  }
  template <class T>
  void known(const char* name, T& field) {
    if (const Json* found = find(name)) read(*found, path_of(name), field);
  }
  void text(const char* name, std::string& field) { known(name, field); }

  void flag(const char* name, bool& set) {
    const Json* found = find(name);
    if (found && !found->is_boolean()) reject(path_of(name), "is not true or false");
    set = found && found->get<bool>();
  }
  void list(const char* name, std::vector<double>& values) {
    if (const Json* found = find(name)) read(*found, path_of(name), values);
  }
  void severity(const char* name, bool& warn) {
    std::string text;
    (*this)(name, text);
    if (text != "warn" && text != "fail") reject(path_of(name), "is neither fail nor warn");
    warn = text == "warn";
  }

  void data(std::shared_ptr<const RunData>& data) {
    const Json* found = find("measured");
    if (!found) return;
    Json measured = *found;
    const Json& histograms = at("histograms");
    const auto directions = measured.find("directions");
    if (directions == measured.end() || !directions->is_object()) reject(path_of("measured.directions"), "is missing");
    for (auto& [direction, totals] : directions->items()) {
      const auto histogram = histograms.find(direction);
      if (!totals.is_object() || histogram == histograms.end())
        reject(path_of("histograms." + direction), "is missing");
      totals["latency"] = *histogram;
    }
    if (histograms.size() != directions->size()) reject(path_of("histograms"), "does not fit measured.directions");
    for (const char* series : {"warmup_intervals", "intervals"}) measured[series] = at(series);
    data = std::make_shared<const RunData>(run_data_from_json(measured));
  }

  void header(RunReport& report) {
    int version = 0;
    (*this)("schema_version", version);
    if (version != kSchemaVersion) {
      reject(path_of("schema_version"),
             "is " + std::to_string(version) + "; this version of diskproof reads " + std::to_string(kSchemaVersion));
    }
    report.plan = plan_from_json(at("plan"), PlanUse::record);
    read_text_of("tool", "version", report.tool_version);
    read_text_of("job", "text", report.job_text);
    at("labels");  // as in the plan
  }

  void read_text_of(const char* object, const char* name, std::string& out) {
    const Json& holder = at(object);
    const auto found = holder.find(name);
    if (found == holder.end()) reject(path_of(object) + "." + name, "is missing");
    read(*found, path_of(object) + "." + name, out);
  }
};

template <class T>
requires std::is_class_v<T>
void read(const Json& json, const std::string& path, T& out) {
  if (!json.is_object()) reject(path.empty() ? "it" : path, "is not an object");
  Reader reader{json, path};
  describe(reader, out);
  for (const auto& [key, value] : json.items()) {
    if (!reader.seen.contains(key)) reject(reader.path_of(key), "is not a field of a result");
  }
}

}  // namespace
}  // namespace diskproof::result

namespace diskproof {

RunReport from_result_json(std::string_view text, const std::string& source) {
  const auto json = nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw Error(ErrorKind::failed, source + " is not a result of diskproof: it is not JSON");
  try {
    RunReport report;
    result::read(json, "", report);
    return report;
  } catch (const Error& error) {
    throw Error(ErrorKind::failed, source + " is not a result of this diskproof: " + error.what());
  }
}

}  // namespace diskproof
