// Parsers and validators that are not the program's own.
#include "integration/reports.hpp"

#include <doctest/doctest.h>
#include <pugixml.hpp>
#include <stdexcept>

namespace diskproof::testing {
namespace {

JunitEntry entry_of(const pugi::xml_node& node) {
  for (const char* end : {"failure", "error", "skipped"}) {
    const pugi::xml_node child = node.child(end);
    if (child) return {end, child.attribute("type").value(), child.attribute("message").value(), child.child_value()};
  }
  return {"passed", "", "", ""};
}

struct Check {
  std::string tool;                    // in words
  std::vector<std::string> is_there;   // a command that succeeds when the tool is installed
  std::vector<std::string> arguments;  // the check itself
};

std::string complaint(const Bench& bench, const Check& check) {
  const auto run = [&](const std::vector<std::string>& arguments) {
    Program program({arguments, {}, bench.path("work"), bench.path("tool.out"), bench.path("tool.err")});
    return program.wait(kPatience);
  };
  std::string text;
  if (run(check.is_there) != 0) {
    MESSAGE("not checked: " << check.tool << " is not installed");
  } else if (run(check.arguments) != 0) {
    text = check.tool + ": " + bench.folder().read("tool.out") + bench.folder().read("tool.err");
  }
  std::filesystem::remove(bench.path("tool.out"));
  std::filesystem::remove(bench.path("tool.err"));
  return text;
}

}  // namespace

const JunitEntry& Junit::at(const std::string& suite, const std::string& name) const {
  const auto there = cases.find(suite);
  if (there == cases.end()) throw std::runtime_error("no suite " + suite + "; there are " + joined(suites));
  const auto found = there->second.find(name);
  if (found != there->second.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, entry] : there->second) names.push_back(known);
  throw std::runtime_error("no case '" + name + "' in " + suite + "; there are " + joined(names));
}

Junit read_junit(const Bench& bench) {
  pugi::xml_document document;
  const auto parsed = document.load_file(bench.path("out/junit.xml").c_str());
  if (!parsed) throw std::runtime_error(std::string("junit.xml: ") + parsed.description());
  Junit junit;
  for (const pugi::xml_node suite : document.child("testsuites").children("testsuite")) {
    const std::string name = suite.attribute("name").value();
    junit.suites.push_back(name);
    for (const pugi::xml_node node : suite.children("testcase")) {
      junit.cases[name][node.attribute("name").value()] = entry_of(node);
    }
  }
  return junit;
}

Result::Result(const Bench& bench) : json_(Json::parse(bench.folder().read("out/result.json"))) {
  for (const Json& phase : json_.at("phases")) {  // what a phase's process printed
    const auto log = phase.at("log_tail").get<std::string>();
    INFO(log);
    CHECK(log.find("Sanitizer") == std::string::npos);
  }
}

const Json& Result::phase(const std::string& name) const {
  for (const Json& phase : json_.at("phases")) {
    if (phase.at("name") == name) return phase;
  }
  throw std::runtime_error("the result has no phase " + name);
}

double Result::metric(const std::string& phase, const std::string& name) const {
  if (!has_metric(phase, name)) throw std::runtime_error(phase + " has no metric " + name + ": " + reason(phase));
  return this->phase(phase).at("metrics").at(name).get<double>();
}

bool Result::has_metric(const std::string& phase, const std::string& name) const {
  return this->phase(phase).at("metrics").contains(name);
}

std::uint64_t sum(const Json& column) {
  std::uint64_t total = 0;
  for (const Json& value : column) total += value.get<std::uint64_t>();
  return total;
}

std::uint64_t check_books(const Json& phase, const std::string& direction, std::uint64_t block) {
  CAPTURE(direction);
  const Json& totals = phase.at("measured").at("directions").at(direction);
  const auto operations = totals.at("operations").get<std::uint64_t>();
  CHECK(totals.at("bytes") == operations * block);
  const Json& metrics = phase.at("metrics");
  CHECK(metrics.at(direction + ".operations") == operations);
  CHECK(metrics.at(direction + ".bytes") == operations * block);
  const Json& rows = phase.at("intervals").at(direction);
  CHECK(sum(rows.at("operations")) == operations);
  CHECK(sum(rows.at("bytes")) == operations * block);
  std::uint64_t samples = 0;
  for (const Json& slot : phase.at("histograms").at(direction).at("slots")) samples += slot.at(1).get<std::uint64_t>();
  CHECK(samples == operations);
  CHECK(sum(rows.at("latency_sum")) == phase.at("histograms").at(direction).at("sum"));
  return operations;
}

std::string schema_complaint(const Bench& bench) {
  const std::string schemas = DISKPROOF_SOURCE_DIR "/schemas/";
  const std::string python = "/usr/bin/python3";  // the distribution's, which has the distribution's modules
  const std::string xml = complaint(
      bench, {"xmllint",
              {"xmllint", "--version"},
              {"xmllint", "--nonet", "--noout", "--schema", schemas + "junit.xsd", bench.path("out/junit.xml")}});
  if (!xml.empty()) return xml;
  return complaint(bench, {"python3-jsonschema",
                           {"/bin/sh", "-c", python + " -W ignore -c 'import jsonschema'"},
                           {python, "-W", "ignore", "-m", "jsonschema", "-i", bench.path("out/result.json"),
                            schemas + "result.schema.json"}});
}

}  // namespace diskproof::testing
