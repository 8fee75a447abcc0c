// The writing archive over report_fields.
#include "report/json_writer.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "metrics/run_data_json.hpp"
#include "plan/plan_json.hpp"
#include "report/json_text.hpp"
#include "report/report_fields.hpp"

namespace diskproof::result {
namespace {

using Json = nlohmann::ordered_json;

Json write(const std::string& text) { return text; }
Json write(int value) { return value; }
Json write(std::uint32_t value) { return value; }
Json write(std::uint64_t value) { return value; }
Json write(double value) { return std::isfinite(value) ? value : 0.0; }
Json write(const PhaseMetrics& metrics) { return metrics_to_json(metrics); }
Json write(const std::vector<Interval>& rows) { return intervals_to_json(rows); }

template <class Enum>
requires std::is_enum_v<Enum> Json write(Enum value) {
  for (const auto& [known, name] : names_of(value)) {
    if (known == value) return std::string(name);
  }
  return "error";
}

template <class T>
requires std::is_class_v<T> Json write(const T& value);

template <class T>
Json write(const std::vector<T>& items) {
  Json array = Json::array();
  for (const T& item : items) array.push_back(write(item));
  return array;
}

struct Writer {
  Json json = Json::object();

  template <class T>
  void operator()(const char* name, const T& field) {
    json[name] = write(field);
  }
  template <class T>
  void operator()(const char* name, const std::optional<T>& field) {
    if (field) json[name] = write(*field);
  }
  void operator()(const char* name, const std::optional<double>& field) {
    if (field && std::isfinite(*field)) json[name] = *field;
  }
  template <class T>
  void known(const char* name, T field) {
    if (field != 0) json[name] = field;
  }
  void text(const char* name, const std::string& field) {
    if (!field.empty()) json[name] = field;
  }
  void flag(const char* name, bool set) {
    if (set) json[name] = true;
  }
  void list(const char* name, const std::vector<double>& values) {
    if (!values.empty()) json[name] = write(values);
  }
  void severity(const char* name, bool warn) { json[name] = warn ? "warn" : "fail"; }

  // A RunData in three parts: distributions, series, and the counts that both must agree with.
  void data(const std::shared_ptr<const RunData>& data) {
    if (!data) return;
    Json measured = run_data_to_json(*data);
    Json histograms = Json::object();
    for (auto& [direction, totals] : measured.at("directions").items()) {
      histograms[direction] = std::move(totals.at("latency"));
      totals.erase("latency");
    }
    json["histograms"] = std::move(histograms);
    for (const char* series : {"warmup_intervals", "intervals"}) {
      json[series] = std::move(measured.at(series));
      measured.erase(series);
    }
    json["measured"] = std::move(measured);
  }

  void header(const RunReport& report) {
    json["schema_version"] = kSchemaVersion;
    json["tool"] = {{"name", "diskproof"}, {"version", report.tool_version}};
    json["job"] = {{"name", report.plan.job_name},
                   {"description", report.plan.description},
                   {"file", report.plan.job_file},
                   {"text", report.job_text}};
    json["labels"] = report.plan.labels;
    json["plan"] = plan_to_json(report.plan);
  }
};

template <class T>
requires std::is_class_v<T> Json write(const T& value) {
  Writer writer;
  describe(writer, value);
  return std::move(writer.json);
}

}  // namespace
}  // namespace diskproof::result

namespace diskproof {

std::string to_result_json(const RunReport& report) { return pretty_json(result::write(report)); }

}  // namespace diskproof
