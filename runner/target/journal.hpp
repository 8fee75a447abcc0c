// The undo journal of a run: each step is on disk before it happens, so that it can be undone after a crash, a kill
// or a power loss. One folder per run below the state root holds it and the state of engines. Who makes such a folder,
// or removes one whose journal has no header yet, holds the lock of the state root meanwhile.
//
// A line is one JSON object: the header; a step; later, about the same step, the identity of what it made; at last
// that it is over. A last line without its newline was cut off by a crash and does not count.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/process.hpp"
#include "target/files.hpp"
#include "target/url_session.hpp"

namespace diskproof {

// The last four are of devices (undo_device.hpp).
enum class UndoKind {
  remove_file,
  remove_marker,
  remove_folder,
  unmount,
  detach_loop,
  restore_setting,
  remove_throttle,
};

struct UndoStep {
  UndoKind kind = UndoKind::remove_file;
  std::string disk;
  std::string path;
  bool keep = false;                     // a file stays if it carries its marker
  std::uint64_t size = 0;                // bytes that the run makes a file long
  FileIdentity folder;                   // that the path is in
  std::optional<FileIdentity> identity;  // of what the step made; of the marked file for a marker
  std::string value{};                   // setting: as it was before; loop: its tag
  std::string set{};                     // setting: what the run makes it
  std::optional<UrlPlace> place{};       // that the path is below; else it is a local one
};

struct JournalHeader {
  std::string run_id, job_file, started_at;
  std::int64_t started = 0;  // seconds since 1970
  ProcessIdentity process;
};

struct OpenStep {
  std::uint64_t number = 0;
  UndoStep step;
};

struct JournalContents {
  JournalHeader header;
  std::vector<OpenStep> open;    // not yet undone, oldest first
  std::uint64_t next = 1;        // number of the next step
  std::uint64_t whole_size = 0;  // bytes of complete lines
};

class Journal {
 public:
  // Creates the run's folder (private to the user) and the journal in it.
  Journal(const std::string& state_root, const JournalHeader& header);
  // Goes on with the journal of a run that is gone. Throws Error{failed} while another process does so, or one that the
  // run began still waits for a device; a moment is waited for it.
  explicit Journal(const std::string& folder);

  // Durable when it returns; then the step may happen. Fills in the step's folder. Answers the step's number.
  std::uint64_t begin(UndoStep step);
  void identify(std::uint64_t number, const FileIdentity& identity);
  void finish(std::uint64_t number);
  // Removes the folder with all that is in it, when nothing is left to undo. The journal must not be written any more.
  void remove() noexcept;

  [[nodiscard]] const JournalHeader& header() const noexcept { return contents_.header; }
  [[nodiscard]] const std::vector<OpenStep>& open() const noexcept { return contents_.open; }
  // A name in the folder of `path` for a file that lives for a moment; of no other run and no other step.
  [[nodiscard]] std::string temporary_beside(const std::string& path) const;
  [[nodiscard]] const std::string& folder() const noexcept { return folder_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  void create_in(const std::string& state_root);

  std::string folder_, path_;
  OpenFile lock_;  // of the folder, against one that goes on; processes that the run forks hold it, too
  OpenFile file_;
  JournalContents contents_;
};

// Where a run mounts a disk's file system: in the state root beside its own folder, which is removed with all that is
// in it.
std::string mount_folder(const std::string& state_root, const std::string& run_id, const std::string& disk);
bool is_mount_folder(const std::string& name);

std::string journal_path(const std::string& folder);

// Has the journal's header been written? Nothing of the run was made before it.
bool journal_has_begun(const std::string& folder);

// Throws Error{failed} on a journal that no Journal wrote.
JournalContents read_journal(const std::string& path);

// $XDG_STATE_HOME/diskproof, ~/.local/state/diskproof, for root /var/lib/diskproof (Windows:
// %LOCALAPPDATA%\\diskproof\\state); a function so that tests and
// `cleanup` agree. Throws Error{failed} when no home is known.
std::string state_root();
// The environment variable that moves it.
std::string state_home_variable();

}  // namespace diskproof
