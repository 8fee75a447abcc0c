// yaml-cpp is used as an event source only: its own tree keeps duplicate keys, cycles and shared nodes, and its marks
// of aliases point to the anchor.
#include "job/yaml_reader.hpp"

#include <exception>
#include <fmt/format.h>
#include <sstream>
#include <utility>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "job/tree_builder.hpp"
#include "job/yaml_text.hpp"

namespace diskproof {
namespace {

Location to_location(const YAML::Mark& mark) {
  return mark.line < 0 ? Location{} : Location{mark.line + 1, mark.column + 1};
}

class Events final : public YAML::EventHandler {
 public:
  Events(TreeBuilder& tree, std::string file) : tree_(tree), file_(std::move(file)) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (std::exchange(started_, true)) {
      throw ReadingStopped{{Diagnostic::Level::error,
                            file_,
                            to_location(mark),
                            {},
                            "a second YAML document starts here",
                            "a job file holds one; remove the '---' or what follows"}};
    }
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { tree_.null(to_location(mark), anchor); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override { tree_.alias(to_location(mark), anchor); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    tree_.scalar(to_location(mark), tag, anchor, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    tree_.open(to_location(mark), tag, anchor, Node::Kind::list);
  }
  void OnSequenceEnd() override { tree_.close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    tree_.open(to_location(mark), tag, anchor, Node::Kind::map);
  }
  void OnMapEnd() override { tree_.close(); }

 private:
  TreeBuilder& tree_;
  std::string file_;
  bool started_ = false;
};

std::string_view line_of(std::string_view text, int line) {
  for (int i = 1; i < line; ++i) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

bool indents_with_tab(std::string_view line) {
  const auto first = line.find_first_not_of(" \t");
  return line.substr(0, first).find('\t') != std::string_view::npos;
}

// The parser's messages name its state, not the cause. The usual causes are recognised by message and line.
Diagnostic explain(const YAML::Exception& fault, std::string_view text, const std::string& file, Location last) {
  Diagnostic result{Diagnostic::Level::error, file, to_location(fault.mark), {}, "not valid YAML: " + fault.msg, {}};
  const std::string_view message = fault.msg;
  const std::string_view line = line_of(text, result.at.line);
  if (message.find("illegal EOF in scalar") != std::string_view::npos) {
    result.at = last;
    result.message = "not valid YAML: a quote that opens in this value or after it is never closed";
    result.hint = "close the quote";
  } else if (message.find("bad file") != std::string_view::npos) {
    result.at = last;
    result.message = fmt::format("nested more than {} levels deep", kDeepestNesting);
  } else if (indents_with_tab(line)) {
    result.message = "not valid YAML: the line is indented with a tab";
    result.hint = "use spaces";
  } else if (line.find("${") != std::string_view::npos ||
             line_of(text, last.line).find("${") != std::string_view::npos) {
    result.hint = "inside [ ] and { } a value with ${…} must be quoted: \"${name}\"";
  } else if (message.find("anchor is not defined") != std::string_view::npos) {
    result.message = "an alias (*name) without an anchor (&name) before it";
    result.hint = "define the anchor first, or quote a value that starts with '*'";
  } else if (message.find("illegal map value") != std::string_view::npos ||
             message.find("end of map not found") != std::string_view::npos) {
    result.hint =
        "look here and at the line above: a missing ': ' after a key, a value with ': ' that needs quotes, or wrong "
        "indentation";
  } else if (message.find("flow") != std::string_view::npos) {
    result.hint = "a [ ] or { } is not closed, or lacks a comma";
  }
  return result;
}

}  // namespace

YamlDocument read_yaml(std::string_view bytes, const std::string& file) {
  YamlDocument result;
  std::string text = clean_yaml_text(bytes, file, result.diagnostics);
  if (!result.diagnostics.empty()) return result;
  // With a comment at its end the file cannot end inside a quote unnoticed.
  std::istringstream stream(text + '#');
  TreeBuilder tree(file);
  Events events(tree, file);
  const auto stopped = [&](Diagnostic fault) {
    result.diagnostics = std::move(tree.diagnostics());
    result.diagnostics.push_back(std::move(fault));
    return std::move(result);
  };
  try {
    YAML::Parser parser(stream);
    // The second call only finds out whether there is more; some inputs would answer yes for ever.
    if (parser.HandleNextDocument(events)) parser.HandleNextDocument(events);
  } catch (const ReadingStopped& stop) {
    return stopped(stop.fault);
  } catch (const YAML::Exception& fault) {
    return stopped(explain(fault, text, file, tree.last_event()));
  } catch (const std::exception& fault) {
    return stopped(
        {Diagnostic::Level::error, file, tree.last_event(), {}, std::string("cannot be read: ") + fault.what(), {}});
  }
  result.diagnostics = std::move(tree.diagnostics());
  result.root = tree.take_root();
  if (!result.root || result.root->kind == Node::Kind::null) {
    result.root.reset();
    result.diagnostics.push_back(
        {Diagnostic::Level::error, file, {1, 1}, {}, "the file is empty", "start with 'diskproof: 1'"});
  }
  return result;
}

YamlDocument read_yaml_file(const std::string& path) {
  YamlDocument result;
  const std::string bytes = read_job_file(path, result.diagnostics);
  return result.diagnostics.empty() ? read_yaml(bytes, path) : result;
}

}  // namespace diskproof
