// The order of the stages, and one sorted list of what they found.
#include "job/job_loader.hpp"

#include <algorithm>
#include <utility>

#include "job/job_parser.hpp"
#include "job/job_schema.hpp"
#include "job/job_validator.hpp"
#include "job/limit_table.hpp"
#include "job/matrix.hpp"
#include "job/schema_validator.hpp"
#include "job/variables.hpp"
#include "job/yaml_reader.hpp"
#include "job/yaml_text.hpp"

namespace diskproof {
namespace {

constexpr std::size_t kMostInherited = 32'000'000;  // bytes of defaults over all phases

// Defaults are copied into every phase: a file of 1 MiB must not become gigabytes.
bool too_large(const Node& root, ParseContext& context) {
  const Node* phases = root.value("phases");
  const Node* defaults = root.value("defaults");
  const Node* disks = root.value("disks");
  if (phases == nullptr) return false;
  if (phases->items.size() > kMostPhases) return true;  // reported by the schema check
  std::size_t inherited = defaults == nullptr ? 0 : weight(*defaults);
  for (const Entry& disk : disks == nullptr ? std::vector<Entry>{} : disks->entries) {
    inherited = std::max(inherited, weight(disk.value) + (defaults == nullptr ? 0 : weight(*defaults)));
  }
  if (inherited * phases->items.size() <= kMostInherited) return false;
  context.error(phases->at, "phases", "the phases inherit too much", "make defaults smaller");
  return true;
}

// From the first on, with their paths as in the file.
void show_origins(const SourceMap& source, std::size_t first, Diagnostics& diagnostics) {
  for (std::size_t i = first; i < diagnostics.size(); ++i) {
    SourceMap::Shown shown = source.shown(diagnostics[i].path);
    diagnostics[i].path = std::move(shown.path);
    diagnostics[i].cell = std::move(shown.cell);
  }
}

LoadedJob load(YamlDocument document, const std::string& file, const LoadOptions& options) {
  LoadedJob result;
  result.job.file = file;
  ParseContext context;
  context.file = file;
  context.diagnostics = std::move(document.diagnostics);
  std::size_t of_file = context.diagnostics.size();  // whose paths are those of the file
  if (document.root) {
    Node& root = *document.root;
    replace_variables(root, options.sets, options.out_dir, file, context.diagnostics);
    of_file = context.diagnostics.size();
    expand_limit_tables(root, file, context.diagnostics);
    validate(root, job_schema(), file, context.schema_faults);
    context.diagnostics.insert(context.diagnostics.end(), context.schema_faults.begin(), context.schema_faults.end());
    if (root.kind == Node::Kind::map && !too_large(root, context)) {
      result.job = parse_job(root, context);
      check_job(result.job, context);
    }
    // Whatever could not be read was reported; should schema and parser ever disagree, say so rather than go on.
    if (!has_errors(context.diagnostics) && !context.unusable.empty()) {
      const std::string& path = *context.unusable.begin();
      context.error(result.job.source.find(path), path, "cannot be read", "please report this");
    }
  }
  show_origins(result.job.source, of_file, context.diagnostics);
  sort_by_place(context.diagnostics);
  result.diagnostics = std::move(context.diagnostics);
  return result;
}

}  // namespace

LoadedJob load_job(const std::string& path, const LoadOptions& options) {
  return load(read_yaml_file(path), path, options);
}

LoadedJob load_job_text(std::string_view text, const std::string& file, const LoadOptions& options) {
  return load(read_yaml(text, file), file, options);
}

}  // namespace diskproof
