// One fault of a job file, placed: file:line:column, the key's path, what is wrong and what to write instead.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace diskproof {

struct Location {
  int line = 0;    // 1-based; 0: unknown
  int column = 0;  // 1-based, in bytes
};

struct Diagnostic {
  enum class Level { error, warning } level = Level::error;
  std::string file;
  Location at;
  std::string path;     // "phases[1].block_size"; empty for the whole file
  std::string message;  // what is wrong with which value
  std::string hint;     // what to do; may be empty
  std::string cell{};   // of a matrix, in which it was found first; empty: none
};

using Diagnostics = std::vector<Diagnostic>;

// "nightly.yaml:14:5 error: phases[1].blok_size: unknown key; did you mean block_size?"
std::string to_string(const Diagnostic& diagnostic);

bool has_errors(const Diagnostics& diagnostics);

// By line and column, without repetitions; what several cells of a matrix have in common is said of the first.
void sort_by_place(Diagnostics& diagnostics);

// Where each key path of the job stands in its file. A path that is not there answers with its nearest parent.
class SourceMap {
 public:
  void add(std::string path, Location at);
  [[nodiscard]] Location find(std::string_view path) const;
  [[nodiscard]] bool has(std::string_view path) const { return places_.contains(path); }

  // Whatever is at `path` or below stands in the file at `origin`, in a cell of a matrix unless `cell` is empty.
  void add_origin(std::string path, std::string origin, std::string cell);
  struct Shown {
    std::string path;  // as in the file
    std::string cell;
  };
  [[nodiscard]] Shown shown(std::string_view path) const;

 private:
  std::map<std::string, Location, std::less<>> places_;
  std::map<std::string, Shown, std::less<>> origins_;
};

}  // namespace diskproof
