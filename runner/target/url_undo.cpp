// Look, compare, remove.
#include "target/url_undo.hpp"

#include "support/error.hpp"

namespace diskproof {
namespace {

using Kind = UrlOrder::Kind;

bool is_ours(const UndoStep& step, const UrlAnswer& found) {
  const bool folder = step.kind == UndoKind::remove_folder;
  if (found.folder != folder) return false;
  const bool known = step.identity && step.identity->inode != 0 && found.id != 0;
  if (known && step.identity->inode != found.id) return false;
  // Without an identity the run ended while it was made.
  return folder || step.identity || found.size == 0 || found.size == step.size;
}

}  // namespace

UrlSession& UrlUndo::session_of(const UrlPlace& place) {
  if (const auto fault = faults_.find(place); fault != faults_.end()) throw Error(ErrorKind::failed, fault->second);
  auto& session = sessions_[place];
  if (session) return *session;
  try {
    if (!open_) throw Error(ErrorKind::failed, "there is no way to reach " + place.url + " here");
    session = open_(place);
  } catch (const std::exception& error) {
    faults_[place] = error.what();
    throw;
  }
  return *session;
}

std::string UrlUndo::undo(const UndoStep& step) {
  UrlSession& session = session_of(*step.place);
  const UrlAnswer found = session.ask({.kind = Kind::look_at, .path = step.path});
  const std::string name = step.place->url + " " + step.path;
  if (!found.yes) return "";
  if (!is_ours(step, found)) return "left " + name + " alone: it is not the one that the run made";
  if (step.kind == UndoKind::remove_folder) {
    // A folder that holds something may hold what others put there.
    if (session.ask({.kind = Kind::remove_folder, .path = step.path}).yes || step.keep) return "";
    throw Error(ErrorKind::failed, "left the folder " + name + ": it holds files that the run did not make");
  }
  if (!step.keep) session.ask({.kind = Kind::remove_file, .path = step.path});
  return "";
}

}  // namespace diskproof
