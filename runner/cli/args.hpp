// The command line as a value. Only args.cpp knows how it is parsed.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace diskproof {

using Sets = std::map<std::string, std::string>;  // --set K=V; the last of a key counts

// Which of a job is run, and how much of it.
struct Scope {
  std::vector<std::string> only;  // names of phases; empty: all
  bool smoke = false;             // little data for a moment
  Sets labels;                    // --label K=V
};

struct RunRequest {
  std::string job;
  Sets sets;
  Scope scope{};
  std::string out_dir;        // empty: diskproof-results/<name>-<time>
  std::string junit;          // one more place for the JUnit report; empty: none
  Sets allowed_to_destroy{};  // --allow-destroy NAME=ID, or NAME alone: an empty ID
  bool quiet = false;
  bool json = false;  // JSON Lines events on stdout
  std::vector<std::string> engine_paths;
};

struct CheckRequest {
  std::vector<std::string> jobs;
  Sets sets;
};

struct ShowPlanRequest {
  std::string job;
  Sets sets;
  Scope scope{};
  Sets allowed_to_destroy{};  // as of a run
  bool json = false;
  std::vector<std::string> engine_paths;
};

struct EnginesRequest {
  std::string name;       // empty: all
  bool markdown = false;  // as a page of the documentation
  std::vector<std::string> engine_paths;
};

struct VerifyRequest {
  std::string engine;              // a name, or a path with a slash
  Sets options;                    // of the engine, as a job would write them
  std::vector<std::string> rules;  // empty: all
  std::string out_dir, junit;      // empty: no report there
  std::string scratch;             // empty: the system's folder for temporary files
  std::string target;              // URL of a folder for an engine that works on URLs; empty: none
  std::vector<std::string> engine_paths;
};

struct ReportRequest {
  std::string result;  // a result.json, or the folder of a run
  std::string format = "terminal";
};

struct PresetsRequest {
  std::string name;  // empty: all
};

struct SchemaRequest {
  std::string which;  // job, result, junit
};

struct CleanupRequest {
  bool list = false;  // only say what would be undone
};

struct DevicesRequest {
  bool json = false;
};

struct ShowText {  // help, version
  std::string text;
};

struct UsageError {
  std::string text;
};

using Request = std::variant<RunRequest, CheckRequest, ShowPlanRequest, EnginesRequest, VerifyRequest, ReportRequest,
                             PresetsRequest, SchemaRequest, CleanupRequest, DevicesRequest, ShowText, UsageError>;

// `arguments` without the program's name. Never throws for what a user writes.
Request parse_args(const std::vector<std::string>& arguments);

}  // namespace diskproof
