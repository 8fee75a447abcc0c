// Writes suites of cases as XML. Every text passes xml_clean on its way in; the counts are those of the
// cases written.
#include "report/junit_writer.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <pugixml.hpp>
#include <sstream>

#include "report/junit_cases.hpp"
#include "report/run_report.hpp"
#include "report/xml.hpp"

namespace diskproof {
namespace {

using End = JunitCase::End;

// Some readers refuse text nodes of megabytes, and check runs end at 65,535 characters.
constexpr std::size_t kCaseTextLimit = 64 * 1024;
constexpr std::size_t kMessageLimit = 1024;

void set(pugi::xml_node node, const char* name, std::string_view value) {
  node.append_attribute(name).set_value(xml_clean(value).c_str());
}

void set_count(pugi::xml_node node, const char* name, std::size_t value) {
  node.append_attribute(name).set_value(fmt::to_string(value).c_str());
}

void set_seconds(pugi::xml_node node, double seconds) {
  node.append_attribute("time").set_value(fmt::format("{:.3f}", std::max(0.0, seconds)).c_str());
}

// Appends a text to a node within what the case may still hold.
void set_text(pugi::xml_node node, std::string_view text, std::size_t& room) {
  const std::string shown = cap_text(xml_clean(text), room);
  room -= shown.size();
  node.append_child(pugi::node_pcdata).set_value(shown.c_str());
}

void write_end(pugi::xml_node node, const JunitCase& test, std::size_t& room) {
  if (test.end == End::pass) return;
  const char* names[] = {"", "failure", "error", "skipped"};
  pugi::xml_node end = node.append_child(names[static_cast<std::size_t>(test.end)]);
  if (!test.type.empty()) set(end, "type", test.type);
  set(end, "message", cap_text(xml_clean(test.message), kMessageLimit));
  std::string body = test.message;  // readers show either the attribute or the body
  for (const std::string& line : test.details) body += "\n" + line;
  set_text(end, body, room);
}

void write_case(pugi::xml_node suite, const JunitCase& test) {
  pugi::xml_node node = suite.append_child("testcase");
  set(node, "classname", test.classname);
  set(node, "name", test.name);
  set_seconds(node, test.seconds);
  std::size_t room = kCaseTextLimit;
  write_end(node, test, room);
  if (!test.output.empty()) set_text(node.append_child("system-out"), test.output, room);
  if (!test.log.empty()) set_text(node.append_child("system-err"), test.log, room);
}

// Strict readers want a time without a zone; it is UTC.
std::string zoneless(std::string time) {
  if (time.ends_with('Z')) time.pop_back();
  return time;
}

void write_suite(pugi::xml_node root, const JunitSuite& suite, std::size_t id, const JunitDocument& document) {
  pugi::xml_node node = root.append_child("testsuite");
  set(node, "name", suite.name);
  set_count(node, "id", id);
  set(node, "package", document.name);
  set_count(node, "tests", suite.cases.size());
  set_count(node, "failures", suite.count(End::failure));
  set_count(node, "errors", suite.count(End::error));
  set_count(node, "skipped", suite.count(End::skipped));
  set_seconds(node, suite.seconds);
  if (!suite.started_at.empty()) set(node, "timestamp", zoneless(suite.started_at));
  if (!document.hostname.empty()) set(node, "hostname", document.hostname);
  pugi::xml_node properties = node.append_child("properties");
  for (const auto& [name, value] : suite.properties) {
    pugi::xml_node property = properties.append_child("property");
    set(property, "name", name);
    set(property, "value", value);
  }
  for (const JunitCase& test : suite.cases) write_case(node, test);
}

}  // namespace

std::string to_junit(const RunReport& report) {
  return junit_text(JunitDocument{report.plan.job_name, report.host.hostname, report.seconds, junit_suites(report)});
}

std::string junit_text(const JunitDocument& content) {
  const std::vector<JunitSuite>& suites = content.suites;
  const auto total = [&](auto count) {
    std::size_t sum = 0;
    for (const JunitSuite& suite : suites) sum += count(suite);
    return sum;
  };
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version").set_value("1.0");
  declaration.append_attribute("encoding").set_value("UTF-8");
  pugi::xml_node root = document.append_child("testsuites");
  set(root, "name", content.name);
  set_count(root, "tests", total([](const JunitSuite& suite) { return suite.cases.size(); }));
  set_count(root, "failures", total([](const JunitSuite& suite) { return suite.count(End::failure); }));
  set_count(root, "errors", total([](const JunitSuite& suite) { return suite.count(End::error); }));
  set_seconds(root, content.seconds);
  for (std::size_t id = 0; id < suites.size(); ++id) write_suite(root, suites[id], id, content);
  std::ostringstream text;
  document.save(text, "  ", pugi::format_indent, pugi::encoding_utf8);
  return std::move(text).str();
}

}  // namespace diskproof
