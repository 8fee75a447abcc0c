// What the reader makes of YAML's traps: every one is either read as people mean it or refused at its place.
#include "job/yaml_reader.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>

#include "unit/job/job_text.hpp"

using namespace diskproof;
using namespace std::string_literals;

namespace {

YamlDocument read(std::string_view text) { return read_yaml(text, "t.yaml"); }

std::string text_of(const YamlDocument& document, std::string_view key) {
  const Node* node = document.root ? document.root->value(key) : nullptr;
  return node == nullptr ? "(absent)" : node->text;
}

}  // namespace

TEST_CASE("yaml: text that cannot be a job is refused at its place") {
  struct Row {
    std::string name;
    std::string text;
    const char* says;  // the start of the only or last diagnostic
  };
  const Row rows[]{
      {"empty", "", "t.yaml:1:1 error: the file is empty"},
      {"only comments", "# nothing\n\n", "t.yaml:1:1 error: the file is empty"},
      {"only a document mark", "---\n", "t.yaml:1:1 error: the file is empty"},
      {"null", "~\n", "t.yaml:1:1 error: the file is empty"},
      {"endless document loop", "\"\",", "t.yaml:1:3 error: a second YAML document"},
      {"two documents", "a: 1\n---\nb: 2\n", "t.yaml:2:1 error: a second YAML document"},
      {"broken second document", "a: 1\n---\n]:\n", "t.yaml:2:1 error: a second YAML document"},
      {"unclosed double quote", "a: \"abc\nb: 2\n", "t.yaml:1:1 error: not valid YAML: a quote"},
      {"unclosed single quote", "x: 1\na: 'abc\nb: 2\n", "t.yaml:2:1 error: not valid YAML: a quote"},
      {"alias cycle", "a: &a [*a]\n", "t.yaml:1:8 error: a[0]: an alias inside the value"},
      {"alias cycle through a map", "a: &a {b: {c: *a}}\n", "t.yaml:1:15 error: a.b.c: an alias inside the value"},
      {"unknown alias", "a: *b\n", "t.yaml:1:4 error: an alias (*name) without an anchor"},
      {"alias as a key", "a: &a [1]\n*a : 2\n", "t.yaml:2:1 error: a key must be plain text"},
      {"list as a key", "? [a]\n: 2\n", "t.yaml:1:3 error: a key must be plain text"},
      {"null key", "~: 2\n", "t.yaml:1:1 error: a key must be plain text"},
      {"tab indentation", "a:\n\tb: 1\n", "t.yaml:2:3 error: not valid YAML: the line is indented with a tab"},
      {"variable in flow style", "a: {file: ${out}/x}\n", "t.yaml:1:12 error: not valid YAML"},
      {"flow not closed", "a: [1, 2\nb: 3\n", "t.yaml:2:2 error: not valid YAML"},
      {"too deep", std::string(70, '[') + std::string(70, ']'), "t.yaml:1:65 error: [0][0]"},
      {"far too deep", std::string(100'000, '['), "t.yaml:1:33 error: [0][0]"},
      {"UTF-16 with mark",
       "\xFF\xFE"
       "a\0:\0"s,
       "t.yaml:1:1 error: the file is UTF-16; save it as UTF-8"},
      {"UTF-16 big endian with mark", "\xFE\xFF\0a\0:"s, "t.yaml:1:1 error: the file is UTF-16"},
      {"UTF-16 without mark", "a\0:\0 \0"s, "t.yaml:1:1 error: the file is UTF-16"},
      {"UTF-32 with mark", "\xFF\xFE\0\0a\0\0\0"s, "t.yaml:1:1 error: the file is UTF-32"},
      {"NUL", "a: x\0y\n"s, "t.yaml:1:5 error: control character 0x00"},
      {"escape character", "a: 1\nb: \x1b[31m\n", "t.yaml:2:4 error: control character 0x1b"},
      {"job of fio", "[global]\nioengine=libaio\n\n[read]\nrw=randread\n",
       "t.yaml:1:1 error: this looks like a job file of fio; diskproof reads YAML; start with 'diskproof: 1'"},
      {"job of fio with comments", "; nightly\n# 4k\n\n[read]\nrandrepeat\nfilename=/dev/sda:/dev/sdb\n",
       "t.yaml:4:1 error: this looks like a job file of fio"},
      {"list before a map", "[a]\nb: c=d\n", "t.yaml:2:1 error: a second YAML document"},
      {"delete character", "a: \x7f\n", "t.yaml:1:4 error: control character 0x7f"},
      {"escaped control character", "a: \"x\\0y\"\n", "t.yaml:1:4 error: a: holds the control character 0x00"},
      {"lone carriage return", "a: 1\rb: 2\n", "t.yaml:1:5 error: a carriage return"},
      {"invalid UTF-8", "a: \xC3\x28\n", "t.yaml:1:4 error: byte 0xc3 is not UTF-8"},
      {"overlong UTF-8", "a: \xC0\xAF\n", "t.yaml:1:4 error: byte 0xc0 is not UTF-8"},
      {"surrogate", "a: \xED\xA0\x80\n", "t.yaml:1:4 error: byte 0xed is not UTF-8"},
      {"beyond Unicode", "a: \xF4\x90\x80\x80\n", "t.yaml:1:4 error: byte 0xf4 is not UTF-8"},
      {"cut sequence at the end", "a: \xE2\x82", "t.yaml:1:4 error: byte 0xe2 is not UTF-8"},
      {"mark inside",
       "a: 1\n\xEF\xBB\xBF"
       "b: 2\n",
       "t.yaml:2:1 error: a byte order mark inside"},
      {"unknown tag", "a: !size 4\n", "t.yaml:1:4 error: a: has the YAML tag '!size'"},
      {"tagged map", "a: !!map {b: 1}\n", "t.yaml:1:4 error: a: has the YAML tag"},
      {"merge of text", "a:\n  <<: x\n", "t.yaml:2:7 error: a.<<: merges only a map"},
      {"long value", "a: " + std::string(20'000, 'x') + "\n", "t.yaml:1:4 error: a: a value of 20000 bytes"},
      {"ten megabytes", "a: " + std::string(10'000'000, 'x'), "t.yaml: error: is larger than 1 MiB"},
      {"line without a colon", "a: 1\nfoo\nb: 2\n", "t.yaml:3:2 error: not valid YAML"},
      {"bad directive", "%YAML 9.9\n---\na: 1\n", "t.yaml:1:1 error: not valid YAML"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const YamlDocument document = read(row.text);
    REQUIRE_FALSE(document.diagnostics.empty());
    const std::string says = to_string(document.diagnostics.back());
    CAPTURE(says);
    CHECK(says.rfind(row.says, 0) == 0);
  }
}

TEST_CASE("yaml: hints name the cause behind the parser's words") {
  CHECK(to_string(read("a: {file: ${out}/x}\n").diagnostics.at(0)).find("must be quoted: \"${name}\"") !=
        std::string::npos);
  CHECK(to_string(read("a: [${x}, 2]\n").diagnostics.at(0)).find("must be quoted") != std::string::npos);
  CHECK(to_string(read("a: 1\nfoo\nb: 2\n").diagnostics.at(0)).find("the line above") != std::string::npos);
  CHECK(to_string(read("a: [1, 2\nb: 3\n").diagnostics.at(0)).find("not closed") != std::string::npos);
}

TEST_CASE("yaml: what is harmless is read") {
  struct Row {
    std::string name;
    std::string text;
    const char* value;  // of the key "a"
  };
  const Row rows[]{{"plain", "a: 1\n", "1"},
                   {"no final newline", "a: 1", "1"},
                   {"byte order mark",
                    "\xEF\xBB\xBF"
                    "a: 1\n",
                    "1"},
                   {"CRLF", "a: 1\r\nb: 2\r\n", "1"},
                   {"document marks", "---\na: 1\n...\n", "1"},
                   {"comment at the end", "a: 1\n# end", "1"},
                   {"block scalar", "a: |\n  x\n  y\n", "x\ny\n"},
                   {"block scalar that keeps its newlines", "a: |+\n  x\n\n", "x\n\n"},
                   {"block scalar without final newline", "a: |-\n  x", "x"},
                   {"quoted hash", "a: \"x # y\"\n", "x # y"},
                   {"variable in block style", "a: ${x}/y\n", "${x}/y"},
                   {"octal looking", "a: 010\n", "010"},
                   {"no as text", "a: no\n", "no"},
                   {"empty quoted", "a: \"\"\n", ""},
                   {"two-byte characters", "\xC3\xA9: 2\na: \xE2\x82\xAC\n", "\xE2\x82\xAC"},
                   {"alias of a scalar", "b: &x 7\na: *x\n", "7"}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const YamlDocument document = read(row.text);
    CAPTURE(test::joined(document.diagnostics));
    CHECK(document.diagnostics.empty());
    CHECK(text_of(document, "a") == row.value);
  }
}

TEST_CASE("yaml: quoted scalars are known, also in block style") {
  const YamlDocument document = read("a: 1\nb: \"1\"\nc: '1'\nd: |\n  1\n");
  REQUIRE(document.root);
  CHECK_FALSE(document.root->value("a")->quoted);
  CHECK(document.root->value("b")->quoted);
  CHECK(document.root->value("c")->quoted);
  CHECK(document.root->value("d")->quoted);
}

TEST_CASE("yaml: places are those of keys, values and uses of aliases") {
  const YamlDocument document = read("one: &x {k: v}\ntwo:\n  - 5\n  - *x\nempty:\nlast: 1\n");
  REQUIRE(document.root);
  const Node& root = *document.root;
  const auto is_at = [](Location at, int line, int column) { return at.line == line && at.column == column; };
  CHECK(is_at(root.find("two")->key_at, 2, 1));
  CHECK(is_at(root.value("two")->items.at(0).at, 3, 5));
  CHECK(is_at(root.value("two")->items.at(1).at, 4, 5));
  CHECK(is_at(root.value("two")->items.at(1).find("k")->key_at, 1, 10));
  CHECK(root.value("empty")->kind == Node::Kind::null);
  CHECK(is_at(root.value("empty")->at, 5, 1));
}

TEST_CASE("yaml: duplicate keys are all reported, with both lines") {
  const YamlDocument document = read("a: 1\nb: {c: 1, c: 2}\na: 3\n\"a\": 4\n");
  CHECK(test::texts(document.diagnostics) ==
        std::vector<std::string>{"t.yaml:2:11 error: b.c: the key is given twice, first in line 2; keep one of them",
                                 "t.yaml:3:1 error: a: the key is given twice, first in line 1; keep one of them",
                                 "t.yaml:4:1 error: a: the key is given twice, first in line 1; keep one of them"});
  REQUIRE(document.root);
  CHECK(document.root->value("a")->text == "1");
}

TEST_CASE("yaml: merges add what a map does not say itself, earlier sources first") {
  const YamlDocument document = read(
      "x: &x {k: 1, l: 1, m: 1}\n"
      "y: &y {l: 2, n: 2}\n"
      "one: {<<: *x, k: 9}\n"
      "list:\n  m: 9\n  <<: [*y, *x]\n"
      "plain: {\"<<\": 5}\n");
  CAPTURE(test::joined(document.diagnostics));
  REQUIRE(document.diagnostics.empty());
  const auto get = [&](std::string_view map, std::string_view key) {
    return document.root->value(map)->value(key)->text;
  };
  CHECK(get("one", "k") == "9");
  CHECK(get("one", "l") == "1");
  CHECK(document.root->value("one")->entries.size() == 3);
  CHECK(get("list", "m") == "9");
  CHECK(get("list", "l") == "2");
  CHECK(get("list", "k") == "1");
  CHECK(get("list", "n") == "2");
  CHECK(document.root->value("list")->entries.size() == 4);
  CHECK(get("plain", "<<") == "5");
  CHECK_FALSE(read("a: &a {k: 1}\nb: {<<: *a, <<: *a}\n").diagnostics.empty());
}

TEST_CASE("yaml: alias bombs run into the budget instead of memory") {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string use = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 9; ++j) bomb += (j == 0 ? "" : ", ") + use;
    bomb += "]\n";
  }
  const YamlDocument nodes = read(bomb);
  REQUIRE(nodes.diagnostics.size() == 1);
  CHECK(to_string(nodes.diagnostics[0]).find("more than 100000 values") != std::string::npos);

  std::string text_bomb = "a: &a " + std::string(16'000, 'x') + "\nb: [";
  for (int i = 0; i < 1000; ++i) text_bomb += "*a, ";
  const YamlDocument text = read(text_bomb + "1]\n");
  REQUIRE(text.diagnostics.size() == 1);
  CHECK(to_string(text.diagnostics[0]).find("once its aliases are expanded") != std::string::npos);
}

TEST_CASE("yaml: a map with very many keys is refused") {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "k" + std::to_string(i) + ": 1\n";
  const YamlDocument document = read(text);
  REQUIRE(document.diagnostics.size() == 1);
  CHECK(to_string(document.diagnostics[0]) == "t.yaml:4097:1 error: a map with more than 4096 keys");
}

TEST_CASE("yaml: files that cannot be read say why") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "diskproof_yaml_test";
  fs::create_directories(folder);
  const auto says = [](const fs::path& path) { return test::joined(read_yaml_file(path.string()).diagnostics); };
  CHECK(says(folder).find("it is a directory; name the .yaml file inside it") != std::string::npos);
  CHECK(says(folder / "absent.yaml").find("no such file; check the path") != std::string::npos);
  std::ofstream(folder / "empty.yaml").flush();
  CHECK(says(folder / "empty.yaml").find(":1:1 error: the file is empty") != std::string::npos);
  std::ofstream(folder / "large.yaml") << std::string(10'000'000, '#');
  CHECK(says(folder / "large.yaml").find("larger than 1 MiB") != std::string::npos);
  std::ofstream(folder / "good.yaml") << "a: 1\n";
  CHECK(says(folder / "good.yaml").empty());
  fs::remove_all(folder);
}
