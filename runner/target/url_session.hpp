// Names and small files below a URL, as the parent asks for them: each question goes to a child that has the engine at
// work. Values and an interface; who starts the child is not known here.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace diskproof {

// A URL, and the engine that reaches it.
struct UrlPlace {
  std::string library;                         // absolute path of the engine
  std::map<std::string, std::string> options;  // canonical
  std::string url;

  auto operator<=>(const UrlPlace&) const = default;
};

struct UrlOrder {
  enum class Kind { look_at, make_folder, make_file, remove_file, remove_folder, write, read };
  Kind kind = Kind::look_at;
  std::string path{};      // below the URL; empty: the URL itself
  std::uint64_t size = 0;  // bytes: make_file as many, read at most as many
  std::string text{};      // write: the new content
};

struct UrlAnswer {
  // It is there (look_at, read), was made (make_*: else the name is taken) or is gone (remove_folder: else it is not
  // empty).
  bool yes = false;
  bool folder = false;     // look_at
  std::uint64_t size = 0;  // look_at, bytes
  std::uint64_t id = 0;    // look_at, make_*: tells it from another one of the same name; 0: not known
  std::string text{};      // read
};

class UrlSession {
 public:
  virtual ~UrlSession() = default;
  // Throws Error when the server, the engine or its child fails; never waits without end.
  virtual UrlAnswer ask(const UrlOrder& order) = 0;
};

// Connects; throws Error.
using UrlOpener = std::function<std::unique_ptr<UrlSession>(const UrlPlace&)>;

}  // namespace diskproof
