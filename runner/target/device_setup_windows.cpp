// Disks and volumes of Windows: open, wipe, format, mount. Images and shares are not attached here.
#include <fmt/format.h>

#include "plan/enum_names.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"
#include "support/units.hpp"
#include "target/device_claim_windows.hpp"
#include "target/device_lock.hpp"
#include "target/device_setup.hpp"
#include "target/filesystem_steps_windows.hpp"
#include "target/journaled.hpp"
#include "target/storage_query_windows.hpp"

namespace diskproof {
namespace {

constexpr int kByPath = 0;  // the engine opens the device itself, while the claim holds it

[[noreturn]] void not_here(const DiskPlan& disk, const std::string& what, const char* instead) {
  throw Error(ErrorKind::unavailable,
              fmt::format("disk {}: {} is not possible on Windows; {}", disk.name, what, instead));
}

}  // namespace

void guard_share(const DiskPlan&) {}  // no job mounts one here

struct DeviceSetup::State {
  const DiskPlan& disk;
  bool written;
  std::optional<DeviceFacts> facts;
  Journal& journal;
  std::function<bool()> stopped;
  std::optional<DeviceLock> lock;
  std::unique_ptr<DeviceClaim> claim;
  bool is_open = false;
  std::string volume{};  // with the run's own file system

  [[nodiscard]] UndoStep undo(UndoKind kind) const {
    return {.kind = kind,
            .disk = disk.name,
            .path = disk.mount_point,
            .keep = false,
            .size = 0,
            .folder = {},
            .identity = {}};
  }
  std::string open();
  std::string make();
  std::string mount();
  std::string prepare(const PrepareStep& step);
};

// The letter or number may lead elsewhere by now.
std::string DeviceSetup::State::open() {
  const DeviceTable table = read_devices();
  const DeviceFacts* const now = table.find(resolve_device(disk.path).number);
  if (now == nullptr) throw Error(ErrorKind::unavailable, "the system knows no device " + disk.path);
  if (facts && (now->number != facts->number || now->size != facts->size || now->serial != facts->serial)) {
    throw Error(ErrorKind::refused, disk.path + " is another device now than the one that was looked at");
  }
  facts = *now;
  if (disk.file_size > facts->size && is_raw(disk)) {
    throw Error(ErrorKind::unavailable,
                fmt::format("{} has {}, and the job's phases use {}; make `size` smaller", disk.path,
                            format_bytes(facts->size), format_bytes(disk.file_size)));
  }
  if (written) {
    lock.emplace(journal.folder(), disk.name, *facts, table);
    claim = std::make_unique<DeviceClaim>(*facts, table);
  }
  is_open = true;
  return fmt::format("{} ({}), {}\n", facts->path, to_string(facts->number), format_bytes(facts->size));
}

// diskpart and format take the disk for themselves: that nobody else had it was seen when it was opened.
std::string DeviceSetup::State::make() {
  claim.reset();
  std::string said;
  const std::string script = path_in(journal.folder(), "diskpart-" + disk.name + ".txt");
  volume = make_filesystem(*disk.filesystem, *facts, script, stopped, said);
  return said;
}

std::string DeviceSetup::State::mount() {
  create_folder(journal, undo(UndoKind::remove_folder));
  const std::uint64_t number = journal.begin(undo(UndoKind::unmount));
  try {
    mount_volume(volume, disk.mount_point);
  } catch (const std::exception&) {
    if (!is_mount_point(disk.mount_point)) journal.finish(number);
    throw;
  }
  return volume + "\n";
}

std::string DeviceSetup::State::prepare(const PrepareStep& step) {
  if (step.kind != PrepareKind::wipe)
    not_here(disk, fmt::format("`prepare: {}`", name_of(step.kind)), "remove the step");
  const Handle device = open_device(facts->path, GENERIC_READ | GENERIC_WRITE);
  if (!device) throw Error(ErrorKind::failed, fmt::format("opening {}: {}", facts->path, error_text(GetLastError())));
  clear_ends(device.get(), facts->size, facts->path);
  return "cleared its first and last MiB\n";
}

DeviceSetup::DeviceSetup(const DiskPlan& disk, GuardedDevice guarded, Journal& journal, std::function<bool()> stopped)
    : state_(new State{disk, guarded.written, std::move(guarded.facts), journal, std::move(stopped), {}, {}}) {}
DeviceSetup::~DeviceSetup() = default;
DeviceSetup::DeviceSetup(DeviceSetup&&) noexcept = default;

void DeviceSetup::run(const Step& step) {
  State& state = *state_;
  const DiskPlan& disk = state.disk;
  if (disk.kind == DiskKind::loop)
    not_here(disk, "attaching an image", "use `file`, or attach it as a disk and use `device`");
  if (disk.kind == DiskKind::mount)
    not_here(disk, "mounting a share", "name its folder: `directory: \\\\server\\share`");
  if (!disk.throttle.values.empty()) not_here(disk, "`throttle`", "remove it");
  if (disk.filesystem && disk.filesystem->type != "ntfs" && disk.filesystem->type != "refs")
    not_here(disk, "a file system of type " + disk.filesystem->type, "use ntfs or refs");
  step("open", [&] { return state.open(); });
  for (const PrepareStep& one : disk.prepare) step(std::string(name_of(one.kind)), [&] { return state.prepare(one); });
  if (!disk.filesystem) return;
  step("mkfs." + disk.filesystem->type, [&] { return state.make(); });
  step("mount", [&] { return state.mount(); });
}

void DeviceSetup::close() { state_->claim.reset(); }
// What a killed process had under way is cancelled or ended before it is gone.
bool DeviceSetup::quiet(std::uint64_t) const { return true; }
int DeviceSetup::descriptor() const noexcept { return state_->is_open && is_raw(state_->disk) ? kByPath : -1; }
std::string DeviceSetup::throttle_group() const { return ""; }
std::optional<DeviceFacts> DeviceSetup::facts() const { return state_->facts; }

}  // namespace diskproof
