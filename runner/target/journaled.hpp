// Makes files and folders with their step in the undo journal. A step that made nothing is closed at once: what stands
// in its place is somebody else's.
#pragma once

#include <string>

#include "target/journal.hpp"

namespace diskproof {

OpenFile create_file(Journal& journal, const UndoStep& undo);
void create_folder(Journal& journal, const UndoStep& undo);

// Replaces the file in one step, durably: after a crash the old or the new text is there, and the journal knows the
// temporary file.
void replace_file(Journal& journal, const std::string& disk, const std::string& path, const std::string& text);

}  // namespace diskproof
