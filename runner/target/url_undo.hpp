// Undo of what was made below a URL. One child per place, for as long as this lives.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "target/journal.hpp"
#include "target/url_session.hpp"

namespace diskproof {

class UrlUndo {
 public:
  explicit UrlUndo(const UrlOpener& open) : open_(open) {}

  // Why the step is closed without its name being gone: it is another one than the run made. Empty: it is undone.
  // Throws Error when it cannot be undone now.
  std::string undo(const UndoStep& step);

 private:
  UrlSession& session_of(const UrlPlace& place);

  const UrlOpener& open_;
  std::map<UrlPlace, std::unique_ptr<UrlSession>> sessions_;
  std::map<UrlPlace, std::string> faults_;  // why there is none: asked once
};

}  // namespace diskproof
