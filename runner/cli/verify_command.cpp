// `diskproof engines --verify NAME|PATH`.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <ostream>
#include <vector>

#include "cli/commands.hpp"
#include "cli/engine_source.hpp"
#include "cli/scratch_folder.hpp"
#include "cli/stop_control.hpp"
#include "cli/verify_view.hpp"
#include "conformance/verifier.hpp"
#include "engine/library.hpp"
#include "engine/options.hpp"
#include "engine/trusted_path.hpp"
#include "support/atomic_file.hpp"
#include "support/error.hpp"
#include "support/near_name.hpp"
#include "support/path_text.hpp"
#include "support/url_text.hpp"
#include "verdict/outcome.hpp"

namespace diskproof {
namespace {

namespace fs = std::filesystem;

// Opened before anything is tried, as all reports are.
std::vector<AtomicFile> open_reports(const VerifyRequest& request) {
  std::vector<AtomicFile> files;
  if (!request.out_dir.empty()) {
    std::error_code error;
    fs::create_directories(request.out_dir, error);
    if (error)
      throw Error(ErrorKind::failed,
                  fmt::format("cannot create the report folder {}: {}", request.out_dir, error.message()));
    files.emplace_back(fs::path(request.out_dir) / "junit.xml");
  }
  if (!request.junit.empty()) files.emplace_back(fs::path(request.junit));
  return files;
}

void check_rule_names(const std::vector<std::string>& wanted) {
  std::vector<std::string> names;
  for (const ConformanceRule& rule : conformance_rules()) names.emplace_back(rule.name);
  for (const std::string& name : wanted) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::string near = nearest_name(name, names);
    throw Error(ErrorKind::bad_job,
                fmt::format("--rule {}: there is no such rule{}; there are {}", name,
                            near.empty() ? "" : ", did you mean " + near + "?", fmt::join(names, ", ")));
  }
}

// A path by itself may be loaded from anywhere, under the same rules of trust as an engine of a folder.
std::string find_library(const std::string& engine, const EngineSource& source) {
  if (engine.find_first_of("/\\") == std::string::npos) return text_of(source.catalog().find(engine));
  std::error_code failure;
  const fs::path path = fs::absolute(engine).lexically_normal();
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::unavailable, fmt::format("engine {}: {}", text_of(path), why));
  };
  const fs::file_status status = fs::status(path, failure);
  if (!fs::exists(status)) refuse("there is no such file");
  if (fs::is_directory(status)) refuse("is a folder; give the library in it, or its NAME with --engine-path FOLDER");
  if (!fs::is_regular_file(status)) refuse("is no regular file, so it is no engine");
  if (engine_name_of(path).empty()) refuse("is no engine: the file of one is named " + engine_file_name("<name>"));
  if (const std::string reason = distrust(path); !reason.empty())
    throw Error(ErrorKind::refused, fmt::format("engine {} is not loaded: {}", text_of(path), reason));
  return text_of(path);
}

// Throws Error{bad_job} for what the engine's option table does not allow, or the engine itself refuses. An engine that
// cannot be asked has broken the first rules, and no other will be checked.
std::map<std::string, std::string> resolve(const Sets& options, const std::string& library, const Places& places) {
  if (options.empty()) return {};
  const ChildSettings child{.executable = text_of(places.executable), .state_dir = "", .clock = places.clock};
  EngineInfo info;
  try {
    info = probe_engine(library, child);
  } catch (const Error&) {
    return {};
  }
  const ResolvedOptions resolved = resolve_options(info, options);
  if (!resolved.faults.empty()) {
    const OptionFault& fault = resolved.faults.front();
    throw Error(ErrorKind::bad_job, fmt::format("--set {}: {}{}", fault.key, fault.message,
                                                fault.hint.empty() ? "" : " (" + fault.hint + ")"));
  }
  try {
    try_engine(library, {.options = resolved.values}, child);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::bad_job) throw;  // anything else is for the rules to say
  }
  return resolved.values;
}

ExitCode exit_code(const Verification& verification) {
  if (verification.interrupted) return ExitCode::interrupted;
  if (verification.count(RuleOutcome::violation) > 0) return ExitCode::fail;
  const bool nothing_shown = verification.count(RuleOutcome::pass) == 0;
  return verification.count(RuleOutcome::cannot_run) > 0 || nothing_shown ? ExitCode::error : ExitCode::pass;
}

}  // namespace

int verify_command(const VerifyRequest& request, const Places& places, Terminal& terminal) {
  check_rule_names(request.rules);
  if (holds_password(request.target))
    throw Error(ErrorKind::bad_job, "--target: the URL holds a password, which the table would show; remove it");
  const EngineSource source(places, request.engine_paths);
  VerifySettings settings{.executable = text_of(places.executable), .library = find_library(request.engine, source)};
  settings.options = resolve(request.options, settings.library, places);
  settings.only = request.rules;
  settings.url = request.target;
  std::vector<AtomicFile> reports = open_reports(request);
  const InterruptGuard guard;
  StopControl stop(0, InterruptGuard::interruptions);
  const ScratchFolder scratch(request.scratch);
  settings.folder = scratch.path();

  terminal.out << fmt::format("{}\n{:<20}  {:<14}  {}\n", settings.library, "rule", "outcome", "note");
  const Verification verification = verify_engine(settings, stop.flag(), [&](const RuleResult& rule) {
    terminal.out << rule_row(rule);
    terminal.out.flush();
  });
  terminal.out << verification_summary(verification) << '\n';
  const std::string name = text_of(path_from(settings.library).stem());
  for (AtomicFile& file : reports) file.replace(verification_junit(verification, name));
  return static_cast<int>(exit_code(verification));
}

}  // namespace diskproof
