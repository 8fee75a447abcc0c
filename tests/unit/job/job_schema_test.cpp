// The schema stays within what the validator understands, and schema, parser and structs say the same.
#include "job/job_schema.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <fstream>
#include <iterator>
#include <set>

#include "job/findings.hpp"
#include "job/job_parser.hpp"
#include "job/schema_validator.hpp"
#include "job/yaml_reader.hpp"
#include "support/error.hpp"
#include "unit/job/job_text.hpp"

using namespace diskproof;

namespace {

// Calls `visit` for every schema inside `schema`, with the path of where it stands.
template <typename Visit>
void walk(const Node& schema, const std::string& path, const Visit& visit) {
  if (schema.kind != Node::Kind::map) return;
  visit(schema, path);
  for (const Entry& entry : schema.entries) {
    const std::string at = child_path(path, entry.key);
    if (entry.key == "properties" || entry.key == "definitions") {
      for (const Entry& one : entry.value.entries) walk(one.value, child_path(at, one.key), visit);
    } else if (entry.key == "anyOf" || entry.key == "allOf") {
      for (std::size_t i = 0; i < entry.value.items.size(); ++i) walk(entry.value.items[i], child_path(at, i), visit);
    } else if (entry.key == "items" || entry.key == "additionalProperties") {
      walk(entry.value, at, visit);
    }
  }
}

const Schema& schema() { return job_schema(); }

// "phase.block_size" for every property of this version that the reader must consume: those of the definitions that
// are reachable without passing a mark of a later version.
void collect(const Node& node, const std::string& name, std::set<std::string>& found, std::set<std::string>& visited) {
  if (node.kind != Node::Kind::map || schema().is_later(node)) return;
  if (const Node* reference = node.value("$ref")) {
    const std::string target = reference->text.substr(reference->text.rfind('/') + 1);
    if (visited.insert(target).second) collect(schema().resolve(node), target, found, visited);
    return;
  }
  for (const Entry& entry : node.entries) {
    if (entry.key == "properties") {
      for (const Entry& one : entry.value.entries) {
        if (schema().is_later(one.value)) continue;
        found.insert(name + "." + one.key);
        collect(one.value, name + "." + one.key, found, visited);
      }
    } else if (entry.key == "anyOf" || entry.key == "allOf") {
      for (const Node& branch : entry.value.items) collect(branch, name, found, visited);
    } else if (entry.key == "items" || entry.key == "additionalProperties") {
      collect(entry.value, name, found, visited);
    }
  }
}

// A job that uses every struct, so that every reader runs.
constexpr std::string_view kEverything = R"(
diskproof: 1
name: all
disks:
  v: {virtual: {size: 1GiB}, limits: {read.iops: {base: 1, per_gb: 1, max: 2}, group: {read.iops: 1}}, engine: {name: sim, x: 1}}
  b: {device: /dev/x, identity: {serial: a}, filesystem: {type: ext4}, prepare: [{mode: "0755"}], throttle: {read.iops: 1}}
  l: {loop: {image: x, size: 1GiB}}
  m: {mount: {source: "s:/e", type: nfs}}
phases:
  - name: one
    disk: v
    duration: 1s
    operations: {read: 100%}
    access: {zipf: 1.2}
    region: {from: 0B}
    files: {count: 1}
    rate: {iops: 1}
    repeat: {count: 2}
    fsync: {every: 1}
    verify: {write: true}
    data: {dedupe: 1%}
    precondition: {random: 1}
    matrix: {threads: [1]}
    thresholds: [{check: read.iops > 1}]
    findings: {capped: warn}
  - {name: two, rounds: {count: 2}, phases: [{name: three, disk: v, duration: 1s}]}
  - {name: four, parallel: [{name: five, disk: v, duration: 1s}]}
)";

}  // namespace

TEST_CASE("job schema: the embedded text is the file") {
  std::ifstream file(DISKPROOF_SOURCE_DIR "/schemas/job.schema.json", std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  CHECK(!text.empty());
  CHECK(text == job_schema_text());
}

TEST_CASE("job schema: only keywords and formats that the validator understands") {
  std::size_t visited = 0;
  walk(schema().root(), "", [&](const Node& node, const std::string& path) {
    ++visited;
    CAPTURE(path);
    for (const Entry& entry : node.entries) {
      CAPTURE(entry.key);
      CHECK(std::find(kSchemaKeywords.begin(), kSchemaKeywords.end(), entry.key) != kSchemaKeywords.end());
    }
    if (const Node* format = node.value("format")) {
      CHECK(std::find(kSchemaFormats.begin(), kSchemaFormats.end(), format->text) != kSchemaFormats.end());
    }
    if (const Node* mark = node.value("x-available")) CHECK(mark->text == "later");
    if (const Node* others = node.value("additionalProperties");
        others != nullptr && others->kind == Node::Kind::scalar) {
      CHECK(others->text == "false");
    }
    CHECK_NOTHROW((void)schema().resolve(node));
  });
  CHECK(visited > 150);
}

TEST_CASE("job schema: every key of a job, a disk and a phase says what it means") {
  const Node* definitions = schema().root().value("definitions");
  REQUIRE(definitions != nullptr);
  for (const Node* object : {&schema().root(), definitions->value("disk"), definitions->value("phase")}) {
    for (const Entry& property : object->value("properties")->entries) {
      CAPTURE(property.key);
      const Node* description = property.value.value("description");
      REQUIRE(description != nullptr);
      CHECK(description->text.back() == '.');
    }
  }
}

TEST_CASE("job schema: the parser consumes exactly the properties of this version") {
  std::set<std::string> wanted;
  std::set<std::string> visited;
  collect(schema().root(), "job", wanted, visited);
  YamlDocument document = read_yaml(kEverything, "t.yaml");
  REQUIRE(document.root);
  ParseContext context;
  parse_job(*document.root, context);
  const std::set<std::string> consumed(context.consumed.begin(), context.consumed.end());
  std::vector<std::string> missing;
  std::vector<std::string> unknown;
  std::set_difference(wanted.begin(), wanted.end(), consumed.begin(), consumed.end(), std::back_inserter(missing));
  std::set_difference(consumed.begin(), consumed.end(), wanted.begin(), wanted.end(), std::back_inserter(unknown));
  CHECK(wanted.size() > 60);
  for (const std::string& one : missing) FAIL_CHECK("not consumed by the parser: ", one);
  for (const std::string& one : unknown) FAIL_CHECK("not in the schema: ", one);
}

TEST_CASE("job schema: findings and their defaults are those of the table") {
  const Node& properties = *schema().root().value("definitions")->value("findings")->value("properties");
  std::size_t available = 0;
  for (const Entry& entry : properties.entries) {
    if (!schema().is_later(entry.value)) ++available;
  }
  CHECK(available == kFindings.size());
  for (const FindingDefault& finding : kFindings) {
    const std::string name(finding.name);
    CAPTURE(name);
    const Node* property = properties.value(finding.name);
    REQUIRE(property != nullptr);
    CHECK(property->value("default")->text == (finding.severity == Severity::error ? "error" : "warn"));
  }
}

TEST_CASE("job schema: a key given with its default changes nothing") {
  const LoadedJob plain = load_job_text(test::job_with_phase("duration: 1s"), "t.yaml");
  REQUIRE(test::joined(plain.diagnostics).empty());
  const Phase& base = plain.job.phases.at(0);
  std::size_t checked = 0;
  for (const Entry& property : schema().root().value("definitions")->value("phase")->value("properties")->entries) {
    const Node* value = property.value.value("default");
    if (value == nullptr || schema().is_later(property.value)) continue;
    CAPTURE(property.key);
    ++checked;
    const LoadedJob given =
        load_job_text(test::job_with_phase("duration: 1s\n" + property.key + ": " + value->text), "t.yaml");
    REQUIRE(test::joined(given.diagnostics).empty());
    const Phase& phase = given.job.phases.at(0);
    CHECK(phase.access == base.access);
    CHECK(phase.operations.read == base.operations.read);
    CHECK(phase.operations.write == base.operations.write);
    CHECK(phase.shared == base.shared);
    CHECK(phase.block_size == base.block_size);
    CHECK(phase.queue_depth == base.queue_depth);
    CHECK(phase.threads == base.threads);
    CHECK(phase.batch == base.batch);
    CHECK(phase.direct == base.direct);
    CHECK(phase.warmup == base.warmup);
    CHECK(phase.pause == base.pause);
    CHECK(phase.optional == base.optional);
    CHECK(phase.io_timeout == base.io_timeout);
    CHECK(phase.max_errors == base.max_errors);
    CHECK(phase.think_time == base.think_time);
    CHECK(phase.sync == base.sync);
  }
  CHECK(checked == 15);
}

TEST_CASE("job schema: a text that is no schema is an error, not a crash") {
  CHECK_THROWS_AS(Schema("{"), Error);
  const Schema dangling(R"({"$ref": "#/definitions/none"})");
  CHECK_THROWS_AS((void)dangling.resolve(dangling.root()), Error);
  const Schema circular(R"({"$ref": "#/definitions/a", "definitions": {"a": {"$ref": "#/definitions/a"}}})");
  CHECK_THROWS_AS((void)circular.resolve(circular.root()), Error);
}
