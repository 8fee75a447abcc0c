// ${name} in values: replaced as text, overridden from the command line, never turned into structure.
#include "job/variables.hpp"

#include <doctest/doctest.h>

#include "job/yaml_reader.hpp"
#include "unit/job/job_text.hpp"

using namespace diskproof;

namespace {

struct Replaced {
  Node root;
  Diagnostics diagnostics;

  [[nodiscard]] std::string text(std::string_view key) const { return root.value(key)->text; }
};

Replaced replace(std::string_view yaml, const std::map<std::string, std::string>& sets = {},
                 const std::string& out = "results") {
  YamlDocument document = read_yaml(yaml, "t.yaml");
  REQUIRE(document.root);
  Replaced result{std::move(*document.root), {}};
  replace_variables(result.root, sets, out, "t.yaml", result.diagnostics);
  return result;
}

}  // namespace

TEST_CASE("variables: values take the text of vars, --set and out") {
  const Replaced result = replace(
      "vars: {size: 10GiB, dir: /mnt, file: \"${dir}/f\"}\na: ${size}\nb: x-${dir}-${size}\nc: [\"${file}\"]\nd: "
      "${out}/y\n",
      {{"size", "1GiB"}});
  CAPTURE(test::joined(result.diagnostics));
  CHECK(result.diagnostics.empty());
  CHECK(result.text("a") == "1GiB");
  CHECK(result.text("b") == "x-/mnt-1GiB");
  CHECK(result.root.value("c")->items.at(0).text == "/mnt/f");
  CHECK(result.text("d") == "results/y");
}

TEST_CASE("variables: a replaced text is never read as YAML again") {
  const Replaced result = replace("vars: {x: 1}\na: ${x}\n", {{"x", "[1, {b: 2}] # ${y}\nc: 3"}});
  CHECK(result.diagnostics.empty());
  CHECK(result.root.value("a")->kind == Node::Kind::scalar);
  CHECK(result.text("a") == "[1, {b: 2}] # ${y}\nc: 3");
}

TEST_CASE("variables: two dollars stand for one") {
  const Replaced result = replace("a: $${x}\nb: $$\nc: $x\nd: \"$${x} $${y}\"\n");
  CHECK(result.diagnostics.empty());
  CHECK(result.text("a") == "${x}");
  CHECK(result.text("b") == "$$");
  CHECK(result.text("c") == "$x");
  CHECK(result.text("d") == "${x} ${y}");
}

TEST_CASE("variables: faults are placed and advise") {
  struct Row {
    std::string name;
    const char* yaml;
    std::map<std::string, std::string> sets;
    const char* says;
  };
  const Row rows[]{
      {"undefined and near",
       "vars: {size: 1GiB}\na: ${szie}\n",
       {},
       "t.yaml:2:4 error: a: the variable ${szie} is not defined; did you mean size?"},
      {"undefined",
       "a: {b: [\"x${nothing}\"]}\n",
       {},
       "t.yaml:1:9 error: a.b[0]: the variable ${nothing} is not defined; define it under vars"},
      {"declared without a value",
       "vars: {path: }\na: ${path}\n",
       {},
       "t.yaml:2:4 error: a: the variable ${path} is not set; give it with --set path=VALUE"},
      {"set to nothing",
       "vars: {path: x}\na: ${path}\n",
       {{"path", ""}},
       "t.yaml:2:4 error: a: the variable ${path} is not set; give it with --set path=VALUE"},
      {"not closed", "a: \"${x\"\n", {}, "t.yaml:1:4 error: a: '${' without its '}'; write $${ for the plain text"},
      {"empty name", "a: \"${}\"\n", {}, "t.yaml:1:4 error: a: the variable ${} is not defined; define it under vars"},
      {"used above its definition",
       "vars: {a: \"${b}\", b: 1}\nx: ${a}\n",
       {},
       "t.yaml:1:11 error: vars.a: the variable ${b} is not defined; define it under vars"},
      {"itself",
       "vars: {a: \"${a}\"}\nx: ${a}\n",
       {},
       "t.yaml:1:11 error: vars.a: the variable ${a} is not defined; define it under vars"},
      {"unknown --set",
       "vars: {size: 1GiB}\na: 1\n",
       {{"sise", "1"}},
       "--set sise: error: the job has no variable of this name; did you mean size?"},
      {"out is taken",
       "vars: {out: x}\na: 1\n",
       {},
       "t.yaml:1:8 error: vars.out: is the run's output folder and cannot be defined; use another name"},
      {"odd name",
       "vars: {a-b: x}\na: 1\n",
       {},
       "t.yaml:1:8 error: vars.a-b: is not a variable name; use letters, digits and _"}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK(test::joined(replace(row.yaml, row.sets).diagnostics) == std::string(row.says) + "\n");
  }
  CHECK(test::joined(replace("a: ${out}\n", {}, "").diagnostics) ==
        "t.yaml:1:4 error: a: the variable ${out} is not set; name an output folder\n");
}

TEST_CASE("variables: values cannot grow without bound") {
  std::string yaml = "vars:\n  a: " + std::string(10'000, 'x') + "\n";
  const Replaced result = replace(yaml + "b: \"${a}${a}\"\n");
  CHECK(test::joined(result.diagnostics).find("longer than 16384 bytes") != std::string::npos);
}
