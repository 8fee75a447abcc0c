// Command lines by table.
#include "cli/args.hpp"

#include <doctest/doctest.h>

namespace diskproof {
namespace {

template <class T>
T parsed(const std::vector<std::string>& arguments) {
  const Request request = parse_args(arguments);
  if (const auto* error = std::get_if<UsageError>(&request)) FAIL(error->text);
  REQUIRE(std::holds_alternative<T>(request));
  return std::get<T>(request);
}

std::string usage_fault(const std::vector<std::string>& arguments) {
  const Request request = parse_args(arguments);
  REQUIRE(std::holds_alternative<UsageError>(request));
  return std::get<UsageError>(request).text;
}

TEST_CASE("args: run takes everything it says") {
  const auto run = parsed<RunRequest>({"run", "--set", "a=1", "job.yaml", "--set", "b=x=y", "--set", "a=2", "--out",
                                       "o", "--junit=j.xml", "--json", "--engine-path", "e1", "--engine-path", "e2"});
  CHECK(run.job == "job.yaml");
  CHECK(run.sets == Sets{{"a", "2"}, {"b", "x=y"}});
  CHECK(run.out_dir == "o");
  CHECK(run.junit == "j.xml");
  CHECK(run.json);
  CHECK_FALSE(run.quiet);
  CHECK(run.engine_paths == std::vector<std::string>{"e1", "e2"});
}

TEST_CASE("args: a path that begins with a slash is one on every system") {
  CHECK(parsed<RunRequest>({"run", "/jobs/a.yaml", "--out", "/out"}).job == "/jobs/a.yaml");
  CHECK(parsed<CheckRequest>({"check", "/jobs/a.yaml", "/jobs/b.yaml"}).jobs.size() == 2);
}

TEST_CASE("args: run and plan take a scope") {
  for (const std::string command : {"run", "plan"}) {
    CAPTURE(command);
    const std::vector<std::string> line{command,   "j.yaml",  "--only",    "a",       "--only", "b/x=1",
                                        "--smoke", "--label", "site=here", "--label", "n="};
    const Scope scope = command == "run" ? parsed<RunRequest>(line).scope : parsed<ShowPlanRequest>(line).scope;
    CHECK(scope.only == std::vector<std::string>{"a", "b/x=1"});
    CHECK(scope.smoke);
    CHECK(scope.labels == Sets{{"site", "here"}, {"n", ""}});
  }
  CHECK(usage_fault({"run", "j.yaml", "--label", "x"}).starts_with("--label x: write --label NAME=VALUE"));
}

TEST_CASE("args: an option with an empty value is a mistake, not its default") {
  CHECK(usage_fault({"run", "job.yaml", "--out", ""}) == "run: --out is empty (see diskproof --help)");
  CHECK(usage_fault({"plan", "job.yaml", "--engine-path", ""}).starts_with("plan: --engine-path is empty"));
  CHECK(usage_fault({"engines", "--verify", "null", "--scratch", ""}).starts_with("engines: --scratch is empty"));
}

TEST_CASE("args: the other commands") {
  const auto check = parsed<CheckRequest>({"check", "a.yaml", "b.yaml", "--set", "k="});
  CHECK(check.jobs == std::vector<std::string>{"a.yaml", "b.yaml"});
  CHECK(check.sets == Sets{{"k", ""}});
  CHECK(parsed<ShowPlanRequest>({"plan", "a.yaml", "--json"}).json);
  CHECK(parsed<EnginesRequest>({"engines"}).name.empty());
  CHECK(parsed<EnginesRequest>({"engines", "sync"}).name == "sync");
  CHECK(parsed<EnginesRequest>({"engines", "--markdown"}).markdown);
  const auto verify =
      parsed<VerifyRequest>({"engines", "--verify", "./e.so", "--set", "a=1", "--rule", "x", "--rule", "y", "--out",
                             "o", "--junit", "j.xml", "--scratch", "s", "--engine-path", "e"});
  CHECK(verify.engine == "./e.so");
  CHECK(verify.options == Sets{{"a", "1"}});
  CHECK(verify.rules == std::vector<std::string>{"x", "y"});
  CHECK(verify.out_dir == "o");
  CHECK(verify.junit == "j.xml");
  CHECK(verify.scratch == "s");
  CHECK(verify.engine_paths == std::vector<std::string>{"e"});
  CHECK(parsed<PresetsRequest>({"presets"}).name.empty());
  CHECK(parsed<PresetsRequest>({"presets", "cdm3"}).name == "cdm3");
  CHECK(parsed<ReportRequest>({"report", "r"}).format == "terminal");
  CHECK(parsed<ReportRequest>({"report", "r", "--format", "cdm"}).result == "r");
  CHECK(parsed<SchemaRequest>({"schema"}).which == "job");
  CHECK(parsed<SchemaRequest>({"schema", "junit"}).which == "junit");
  CHECK_FALSE(parsed<CleanupRequest>({"cleanup"}).list);
  CHECK(parsed<CleanupRequest>({"cleanup", "--list"}).list);
  CHECK_FALSE(parsed<DevicesRequest>({"devices"}).json);
  CHECK(parsed<DevicesRequest>({"devices", "--json"}).json);
}

TEST_CASE("args: help and version are text, not errors") {
  CHECK(parsed<ShowText>({"--version"}).text.starts_with("diskproof "));
  CHECK(parsed<ShowText>({"--help"}).text.find("cleanup") != std::string::npos);
  CHECK(parsed<ShowText>({"run", "--help"}).text.find("--junit") != std::string::npos);
}

TEST_CASE("args: faults name the word and the nearest known one") {
  struct Row {
    std::vector<std::string> arguments;
    const char* message;
  };
  for (const Row& row :
       {Row{{}, "no command is given"},
        {{"rnu", "a.yaml"}, "unknown command 'rnu'; did you mean run?"},
        {{"--verison"}, "unknown option '--verison'; did you mean --version?"},
        {{"run"}, "run: JOB is required"},
        {{"run", "--quite", "a.yaml"}, "run: unknown option '--quite'; did you mean --quiet?"},
        {{"run", "a.yaml", "--engien-path", "x"}, "unknown option '--engien-path'; did you mean --engine-path?"},
        {{"run", "--qiuet"}, "unknown option '--qiuet'; did you mean --quiet?"},
        {{"run", "--junti=x", "a.yaml"}, "unknown option '--junti'; did you mean --junit?"},
        {{"run", "a.yaml", "b.yaml"}, "run: unexpected argument 'b.yaml'"},
        {{"run", "a.yaml", "--out"}, "--out"},
        {{"run", "a.yaml", "--set", "novalue"}, "--set novalue: write --set NAME=VALUE"},
        {{"run", "a.yaml", "--set", "=v"}, "write --set NAME=VALUE"},
        {{"run", "a.yaml", "--allow-destroy", "d="}, "--allow-destroy d=: write --allow-destroy NAME=ID"},
        {{"plan", "a.yaml", "--allow-destroy", "=S1"}, "--allow-destroy =S1: write"},
        {{"run", "a.yaml", "--allow-destroy", ""}, "--allow-destroy"},
        {{"run", "a.yaml", "--quiet", "--json"}, "quiet"},
        {{"check"}, "check: JOB is required"},
        {{"check", "a.yaml", "--est", "k=v"}, "unknown option '--est'; did you mean --set?"},
        {{"schema", "xml"}, "schema"},
        {{"engines", "a", "b"}, "engines: unexpected argument 'b'"},
        {{"engines", "--verify"}, "engines --verify: say which engine"},
        {{"engines", "a", "--rule", "x"}, "--verify"},
        {{"engines", "a", "--verify", "--markdown"}, "--markdown"},
        {{"engines", "a", "--verify", "--set", "x"}, "--set x: write --set NAME=VALUE"},
        {{"cleanup", "now"}, "cleanup: unexpected argument 'now'"}}) {
    std::string line;
    for (const std::string& word : row.arguments) line += word + " ";
    CAPTURE(line);
    const std::string fault = usage_fault(row.arguments);
    CAPTURE(fault);
    CHECK(fault.find(row.message) != std::string::npos);
  }
}

}  // namespace
}  // namespace diskproof
