// The only file that includes CLI11. Its own messages for unexpected arguments are replaced, as they name no
// alternative and blame the wrong word when an option is mistyped.
#include "cli/args.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <sstream>

#include "support/near_name.hpp"
#include "support/version.hpp"

namespace diskproof {
namespace {

struct Commands {
  RunRequest run;
  CheckRequest check;
  ShowPlanRequest plan;
  EnginesRequest engines;
  VerifyRequest verify;
  bool verifies = false;  // engines --verify
  ReportRequest report;
  PresetsRequest presets;
  SchemaRequest schema{"job"};
  CleanupRequest cleanup;
  DevicesRequest devices;
  std::vector<std::string> sets, labels, allowed;
};

void add_sets(CLI::App& command, Commands& all) {
  command.add_option("--set", all.sets, "Replace the job's variable K by V; may be repeated")
      ->type_name("K=V")
      ->allow_extra_args(false);
}

void add_scope(CLI::App& command, Commands& all, Scope& scope) {
  command
      .add_option(
          "--only", scope.only,
          "Run this phase only, or all whose names start with PHASE/; what it needs is run too; may be repeated")
      ->type_name("PHASE")
      ->allow_extra_args(false);
  command.add_flag("--smoke", scope.smoke,
                   "Each phase at most 1 s on 64 MiB: shows that everything works; thresholds decide nothing");
  command.add_option("--label", all.labels, "Put the label K with the value V into every report; may be repeated")
      ->type_name("K=V")
      ->allow_extra_args(false);
}

void add_consents(CLI::App& command, Commands& all) {
  command
      .add_option("--allow-destroy", all.allowed,
                  "Consent that the device of the disk NAME is overwritten; ID is its serial number or WWN, which "
                  "`diskproof devices` shows, or absent where it has neither; may be repeated")
      ->type_name("NAME[=ID]")
      ->allow_extra_args(false);
}

void add_engine_paths(CLI::App& command, std::vector<std::string>& paths) {
  command.add_option("--engine-path", paths, "Look for engines in DIR first; may be repeated")
      ->type_name("DIR")
      ->allow_extra_args(false);
}

void add_run(CLI::App& app, Commands& all) {
  CLI::App* command = app.add_subcommand("run", "Run a job: prepare, load, measure, judge, report, clean up");
  command->add_option("JOB", all.run.job, "A path (with a slash or ending in .yaml), or the name of a preset")
      ->required();
  command->add_option("--out", all.run.out_dir, "Folder for the reports; diskproof-results/<name>-<time> by default")
      ->type_name("DIR");
  add_sets(*command, all);
  add_scope(*command, all, all.run.scope);
  command->add_option("--junit", all.run.junit, "Write the JUnit report to FILE too")->type_name("FILE");
  add_consents(*command, all);
  CLI::Option* quiet = command->add_flag("--quiet", all.run.quiet, "Print nothing but errors");
  command->add_flag("--json", all.run.json, "Print events as JSON Lines instead of text")->excludes(quiet);
  add_engine_paths(*command, all.run.engine_paths);
}

void add_engines(CLI::App& app, Commands& all) {
  CLI::App* command = app.add_subcommand("engines", "List the engines, show one with its options, or verify one");
  command->add_option("NAME", all.engines.name, "An engine; with --verify also the path of a library, with a slash");
  add_engine_paths(*command, all.engines.engine_paths);
  CLI::Option* markdown =
      command->add_flag("--markdown", all.engines.markdown,
                        "Print it as Markdown, as documentation: without what holds on this machine only");
  CLI::Option* verify =
      command->add_flag("--verify", all.verifies, "Check the engine against every rule of the engine contract");
  const auto only_with_verify = [&](CLI::Option* option, const char* type) {
    option->type_name(type)->allow_extra_args(false)->needs(verify);
  };
  verify->excludes(markdown);
  only_with_verify(command->add_option("--set", all.sets, "Give the engine's option K the value V; may be repeated"),
                   "K=V");
  only_with_verify(command->add_option("--rule", all.verify.rules, "Check this rule only; may be repeated"), "RULE");
  only_with_verify(command->add_option("--out", all.verify.out_dir, "Write junit.xml into this folder"), "DIR");
  only_with_verify(command->add_option("--junit", all.verify.junit, "Write the JUnit report to FILE"), "FILE");
  only_with_verify(command->add_option("--scratch", all.verify.scratch,
                                       "Folder for the files that are tried; the system's temporary one by default"),
                   "DIR");
  only_with_verify(
      command->add_option("--target", all.verify.target,
                          "Folder on a server for an engine that works on URLs; a folder in it comes and goes"),
      "URL");
}

void add_others(CLI::App& app, Commands& all) {
  CLI::App* check = app.add_subcommand("check", "Check job files without looking at the machine");
  check->add_option("JOB", all.check.jobs, "Job files or names of presets")->required();
  add_sets(*check, all);

  CLI::App* plan = app.add_subcommand("plan", "Show everything that would happen, and do nothing");
  plan->add_option("JOB", all.plan.job, "A path (with a slash or ending in .yaml), or the name of a preset")
      ->required();
  add_sets(*plan, all);
  add_scope(*plan, all, all.plan.scope);
  add_consents(*plan, all);
  plan->add_flag("--json", all.plan.json, "Print the plan as JSON");
  add_engine_paths(*plan, all.plan.engine_paths);

  CLI::App* report = app.add_subcommand("report", "Print a report of a run again, from its result.json");
  report->add_option("RESULT", all.report.result, "A result.json, or the folder of a run")->required();
  report->add_option("--format", all.report.format, "terminal, junit, json, or cdm: as CrystalDiskMark prints results")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"terminal", "junit", "json", "cdm"}));

  CLI::App* presets = app.add_subcommand("presets", "List the job files that come with the runner, or show one");
  presets->add_option("NAME", all.presets.name, "A preset");

  CLI::App* devices =
      app.add_subcommand("devices", "List the block devices, their use, and whether a job may write to them");
  devices->add_flag("--json", all.devices.json, "Print everything that is known of them as JSON");

  CLI::App* schema = app.add_subcommand("schema", "Print the schema of job files or of a report");
  schema->add_option("KIND", all.schema.which, "job, result or junit")
      ->check(CLI::IsMember({"job", "result", "junit"}));

  CLI::App* cleanup = app.add_subcommand("cleanup", "Undo what killed runs left behind");
  cleanup->add_flag("--list", all.cleanup.list, "Only list it");
}

// Every option that the command takes, "--set".
std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = nearest_name(word, known);
  return near.empty() ? "" : "; did you mean " + near + "?";
}

// What CLI11 could not place on a command, or empty.
std::string complaint_about(const CLI::App& command) {
  const std::vector<std::string> left = command.remaining();
  if (left.empty()) return "";
  const auto option =
      std::find_if(left.begin(), left.end(), [](const std::string& word) { return word.starts_with("-"); });
  if (option == left.end()) return fmt::format("{}: unexpected argument '{}'", command.get_name(), left.front());
  const std::string name = option->substr(0, option->find('='));
  return fmt::format("{}: unknown option '{}'{}", command.get_name(), name, did_you_mean(name, option_names(command)));
}

std::string complaint_about_command(const CLI::App& app) {
  const std::vector<std::string> left = app.remaining();
  if (left.empty()) return "no command is given";
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  const std::string& word = left.front();
  if (!word.starts_with("-")) return fmt::format("unknown command '{}'{}", word, did_you_mean(word, names));
  return fmt::format("unknown option '{}'{}", word, did_you_mean(word, option_names(app)));
}

UsageError usage(const std::string& text) { return {text + " (see diskproof --help)"}; }

// "--out": an option of the command that was given an empty value, which would silently mean its default.
std::string empty_option(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string> values = option->count() == 0 ? std::vector<std::string>{} : option->results();
    if (std::find(values.begin(), values.end(), "") != values.end()) return option->get_name();
  }
  return "";
}

// Into `sets`; the fault of the first that is not K=V, or empty.
std::string split_sets(const std::string& option, const std::vector<std::string>& given, Sets& sets) {
  for (const std::string& pair : given) {
    const auto equals = pair.find('=');
    if (equals == std::string::npos || equals == 0)
      return fmt::format("{} {}: write {} NAME=VALUE", option, pair, option);
    sets[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  return "";
}

// NAME=ID or NAME. What stands before or behind a `=` may be a variable that is empty by mistake.
std::string split_consents(const std::vector<std::string>& given, Sets& consents) {
  for (const std::string& text : given) {
    const auto equals = std::min(text.find('='), text.size());
    if (equals == 0 || equals + 1 == text.size())
      return fmt::format("--allow-destroy {}: write --allow-destroy NAME=ID, or NAME where there is no ID", text);
    consents[text.substr(0, equals)] = text.substr(std::min(equals + 1, text.size()));
  }
  return "";
}

Request chosen_engines(Commands& all, const Sets& sets) {
  if (!all.verifies) return all.engines;
  if (all.engines.name.empty())
    return usage("engines --verify: say which engine, by NAME or by the path of its library");
  all.verify.engine = all.engines.name;
  all.verify.engine_paths = all.engines.engine_paths;
  all.verify.options = sets;
  return all.verify;
}

Request chosen(const std::string& command, Commands& all) {
  Sets sets, labels;
  if (const std::string fault = split_sets("--set", all.sets, sets); !fault.empty()) return usage(fault);
  if (const std::string fault = split_sets("--label", all.labels, labels); !fault.empty()) return usage(fault);
  all.run.sets = all.check.sets = all.plan.sets = sets;
  if (const std::string fault = split_consents(all.allowed, all.run.allowed_to_destroy); !fault.empty())
    return usage(fault);
  all.plan.allowed_to_destroy = all.run.allowed_to_destroy;
  all.run.scope.labels = all.plan.scope.labels = labels;
  if (command == "run") return all.run;
  if (command == "check") return all.check;
  if (command == "plan") return all.plan;
  if (command == "engines") return chosen_engines(all, sets);
  if (command == "report") return all.report;
  if (command == "presets") return all.presets;
  if (command == "schema") return all.schema;
  if (command == "devices") return all.devices;
  return all.cleanup;
}

}  // namespace

Request parse_args(const std::vector<std::string>& arguments) {
  CLI::App app("Proves that a piece of storage does what it was bought for.", "diskproof");
  app.allow_windows_style_options(false);  // "/jobs/a.yaml" is a path there, too
  Commands all;
  app.set_version_flag("--version", std::string("diskproof ") + kVersion);
  add_run(app, all);
  add_engines(app, all);
  add_others(app, all);
  app.allow_extras();
  for (CLI::App* command : app.get_subcommands({})) command->allow_extras();
  const auto called = [&app] { return app.get_subcommands(); };
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // it takes them last first
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, err;
    if (app.exit(error, out, err) == 0) return ShowText{out.str()};
    // A mistyped option is the likelier fault than the argument that it left missing.
    if (!called().empty()) {
      if (const std::string complaint = complaint_about(*called().front()); !complaint.empty()) return usage(complaint);
    }
    return usage((called().empty() ? "" : called().front()->get_name() + ": ") + std::string(error.what()));
  }
  if (called().empty()) return usage(complaint_about_command(app));
  if (const std::string complaint = complaint_about(*called().front()); !complaint.empty()) return usage(complaint);
  if (!app.remaining().empty()) return usage(complaint_about_command(app));
  if (const std::string option = empty_option(*called().front()); !option.empty())
    return usage(fmt::format("{}: {} is empty", called().front()->get_name(), option));
  return chosen(called().front()->get_name(), all);
}

}  // namespace diskproof
