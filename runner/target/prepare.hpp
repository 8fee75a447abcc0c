// Makes the disks of a plan ready, down to their files and folders, and takes all of it back. Every step's undo is in
// the journal before the step happens. Writing of data is a phase's work, not done here.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "target/device_setup.hpp"
#include "target/guard.hpp"
#include "target/journal.hpp"
#include "target/step_report.hpp"
#include "target/url_disk.hpp"

namespace diskproof {

// What the command line adds to a plan.
struct PreparationTerms {
  std::map<std::string, std::string>
      allowed_to_destroy{};                              // --allow-destroy: disk to its device's ID; empty: none given
  std::function<bool()> stopped = [] { return false; };  // asked while a program runs
  UrlOpener open_url{};                                  // reaches disks that are URLs
};

class Preparation {
 public:
  // Opens the run's state folder. `plan` outlives this.
  Preparation(const Plan& plan, const std::string& state_root, const JournalHeader& header,
              PreparationTerms terms = {});

  // Guards every disk, then makes its files. A refusal ends it and is thrown as Error; a disk whose files cannot be
  // made is reported and left to fault_of, the others go on. What was made until then is for undo.
  void prepare(const FilesystemView& filesystem);

  // Why the disk could not be made; empty when it was.
  [[nodiscard]] std::string fault_of(const std::string& disk) const;

  // Waits until the device under the disk has nothing in flight, at most `patience` ns; false: it still has. True where
  // the disk has no device of its own.
  [[nodiscard]] bool quiet(const std::string& disk, std::uint64_t patience) const;
  // Of a raw disk: the device, open for this run alone; -1: none.
  [[nodiscard]] int descriptor_of(const std::string& disk) const;
  // Of a throttled disk; else empty.
  [[nodiscard]] std::string throttle_of(const std::string& disk) const;
  // Of the device under the disk, where there is one.
  [[nodiscard]] std::optional<DeviceFacts> device_of(const std::string& disk) const;

  // Are all files of the disk written already, by a run that kept them?
  [[nodiscard]] bool laid_out(const std::string& disk) const;
  // Says in the markers that the disk's layout phase wrote all of its files.
  void record_layout(const std::string& disk, std::uint64_t seed);
  // Takes it back before a phase that trims: what is trimmed is not written any more.
  void forget_layout(const std::string& disk);

  // Of preparation and undo, in order.
  [[nodiscard]] const std::vector<StepReport>& steps() const noexcept { return steps_; }

  // Takes everything back, last first, and removes the state folder when nothing is left to do. Markers that stay vouch
  // for their files from now on. Steps of `tainted` disks stay in the journal for `cleanup`.
  void undo(const std::set<std::string>& tainted);

  [[nodiscard]] std::string engine_state_folder() const { return journal_.folder() + "/engines"; }

 private:
  struct Made {  // one file of a disk, open and locked while the run lasts
    std::string disk, path;
    OpenFile file;
    Marker marker;
  };

  template <class Action>
  void step(const std::string& name, const std::string& disk, Action action);
  void guard(const DiskPlan& disk);
  void guard_url(const DiskPlan& disk);
  [[nodiscard]] bool has_to_be_made(const DiskPlan& disk) const;
  void make_disk(const DiskPlan& disk, const FilesystemView& filesystem);
  void set_up(const DiskPlan& disk);
  void make_files(const DiskPlan& disk);
  void make_own_file(const DiskPlan& disk, const std::string& path) const;
  void make_folders(const DiskPlan& disk);
  void lock_folder(const DiskPlan& disk);
  void make_file(const DiskPlan& disk, const std::string& path, std::uint64_t size);
  OpenFile open_or_create(const DiskPlan& disk, const std::string& path, std::uint64_t size, bool exists);
  [[nodiscard]] const DiskPlan* find(const std::string& disk) const;
  void mark(const DiskPlan& disk, Made& made, const std::optional<Marker>& earlier);
  void store(const Made& made);

  const Plan& plan_;
  const PreparationTerms terms_;
  Journal journal_;
  std::map<std::string, std::unique_ptr<UrlDisk>> url_disks_;  // by name
  std::vector<StepReport> steps_;
  std::vector<Made> made_;
  std::vector<OpenFile> locks_;
  std::map<std::string, DeviceFacts> guarded_;  // by disk: the device that the guard has judged
  std::map<std::string, DeviceSetup> devices_;  // by disk
  std::map<std::string, std::string> faults_;   // by disk
};

}  // namespace diskproof
