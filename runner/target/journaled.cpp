// Begin, make, identify.
#include "target/journaled.hpp"

#include "support/path_text.hpp"

namespace diskproof {
namespace {

template <class Make>
auto make_or_close(Journal& journal, std::uint64_t number, Make make) {
  try {
    return make();
  } catch (...) {
    journal.finish(number);
    throw;
  }
}

}  // namespace

OpenFile create_file(Journal& journal, const UndoStep& undo) {
  const std::uint64_t number = journal.begin(undo);
  OpenFile file = make_or_close(journal, number, [&] { return create_file(undo.path); });
  journal.identify(number, file.status().identity);
  sync_folder(folder_of(undo.path));
  return file;
}

void create_folder(Journal& journal, const UndoStep& undo) {
  const std::uint64_t number = journal.begin(undo);
  make_or_close(journal, number, [&] { create_folder(undo.path); });
  journal.identify(number, look_at(undo.path).identity);
  sync_folder(folder_of(undo.path));
}

void replace_file(Journal& journal, const std::string& disk, const std::string& path, const std::string& text) {
  const UndoStep undo{.kind = UndoKind::remove_file,
                      .disk = disk,
                      .path = journal.temporary_beside(path),
                      .keep = false,
                      .size = text.size(),
                      .folder = {},
                      .identity = {}};
  const OpenFile file = create_file(journal, undo);
  const std::uint64_t number = journal.open().back().number;
  file.append_durably(text, undo.path);
  rename_over(undo.path, path);
  journal.finish(number);
}

}  // namespace diskproof
