// The order of the steps: attach, claim, the steps of `prepare` that are the device's, mkfs, mount, those that are the
// file system's, throttle.
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plan/enum_names.hpp"
#include "support/clock.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"
#include "support/units.hpp"
#include "target/device_handle_linux.hpp"
#include "target/device_lock.hpp"
#include "target/device_settings_linux.hpp"
#include "target/device_setup.hpp"
#include "target/filesystem_steps_linux.hpp"
#include "target/journaled.hpp"
#include "target/loop_device_linux.hpp"
#include "target/run_apart_linux.hpp"
#include "target/throttle.hpp"

namespace diskproof {

namespace {

constexpr std::uint64_t kSettingPatience = 60'000'000'000;    // ns: the kernel waits for I/O in flight first
constexpr std::uint64_t kClosePatience = 30'000'000'000;      // ns
constexpr std::uint64_t kDiscardPatience = 3600'000'000'000;  // ns

ThrottleLimits limits_of(const LimitGroup& group) {
  const auto value = [&](const char* key) -> std::optional<std::uint64_t> {
    const auto found = group.values.find(key);
    if (found == group.values.end()) return std::nullopt;
    return static_cast<std::uint64_t>(std::llround(found->second));
  };
  return {.read_iops = value("read.iops"),
          .write_iops = value("write.iops"),
          .read_bandwidth = value("read.bandwidth"),
          .write_bandwidth = value("write.bandwidth")};
}

}  // namespace

void guard_share(const DiskPlan& disk) {
  struct stat status {};
  if (::stat(disk.share->source.c_str(), &status) != 0) return;
  if (!S_ISBLK(status.st_mode) && !S_ISREG(status.st_mode)) return;
  throw Error(ErrorKind::refused,
              fmt::format("disk {}: `mount` is for shares, and {} is {}; write `{}`, which asks for consent", disk.name,
                          disk.share->source, S_ISBLK(status.st_mode) ? "a block device" : "a file",
                          S_ISBLK(status.st_mode) ? "device" : "loop"));
}

struct DeviceSetup::State {
  const DiskPlan& disk;
  bool written;
  std::optional<DeviceFacts> facts;
  Journal& journal;
  StopAsked stopped;
  std::string path;  // of the device
  std::optional<DeviceLock> lock;
  std::optional<DeviceHandle> handle;
  std::string throttle;

  [[nodiscard]] UndoStep undo(UndoKind kind, const std::string& of) const {
    return {.kind = kind, .disk = disk.name, .path = of, .keep = false, .size = 0, .folder = {}, .identity = {}};
  }

  // A step that made nothing is closed at once.
  std::string journaled(const UndoStep& step, const Action& action) {
    const std::uint64_t number = journal.begin(step);
    try {
      return action();
    } catch (const std::exception&) {
      if (!is_made(step)) journal.finish(number);
      throw;
    }
  }
  // A device that does not answer keeps a process of its own waiting.
  [[nodiscard]] std::string apart(std::uint64_t patience, const Action& action) const {
    const ApartResult result = run_apart(action, patience, stopped);
    if (result.end == Apart::done) return result.text;
    if (result.end == Apart::failed) throw Error(ErrorKind::failed, result.text);
    throw Error(ErrorKind::failed, result.end == Apart::stopped
                                       ? "it was stopped"
                                       : fmt::format("it did not end within {} s", patience / 1'000'000'000));
  }
  static bool is_made(const UndoStep& step) { return step.kind != UndoKind::unmount || is_mount_point(step.path); }

  std::string attach();
  std::string open();
  std::string change_setting(const std::string& setting, const std::string& value);
  std::string prepare_device(const PrepareStep& step);
  std::string make();
  std::string mount();
  std::string prepare_filesystem(const PrepareStep& step) const;
  std::string hold_to_throttle();
};

std::string DeviceSetup::State::attach() {
  UndoStep step = undo(UndoKind::detach_loop, std::filesystem::canonical(disk.path).string());
  step.value = loop_tag(journal.header().run_id, disk.name);
  return journaled(step, [&] {
    const LoopDevice loop = attach_loop(step.path, disk.capacity, step.value);
    path = loop.path;
    return fmt::format("{} is {}{}\n", disk.path, loop.path,
                       loop.direct ? "" : ", through the page cache: the image's file system has no direct I/O");
  });
}

std::string DeviceSetup::State::open() {
  const DeviceTable table = read_devices();
  if (!facts) {
    const DeviceFacts* found = table.find(resolve_device(path).number);
    if (found == nullptr) throw Error(ErrorKind::unavailable, "the system knows no device " + path);
    facts = *found;
  }
  if (written) lock.emplace(journal.folder(), disk.name, *facts, table);
  handle.emplace(*facts);
  if (written) handle->claim();
  if (is_raw(disk) && disk.file_size > facts->size) {
    throw Error(ErrorKind::unavailable, fmt::format("{} has {}, and the job's phases use {}; make `size` smaller", path,
                                                    format_bytes(facts->size), format_bytes(disk.file_size)));
  }
  return fmt::format("{} ({}), {}\n", path, to_string(facts->number), format_bytes(facts->size));
}

std::string DeviceSetup::State::change_setting(const std::string& setting, const std::string& value) {
  UndoStep step = undo(UndoKind::restore_setting, setting_file(handle->number(), setting));
  step.value = read_setting(step.path);
  step.set = value;
  if (step.value == value) return fmt::format("it was {} before\n", value);
  return journaled(step, [&] {
    return apart(kSettingPatience, [&] {
      write_setting(step.path, value);
      return fmt::format("{} instead of {}\n", value, step.value);
    });
  });
}

std::string DeviceSetup::State::prepare_device(const PrepareStep& step) {
  switch (step.kind) {
    case PrepareKind::discard:
    case PrepareKind::secure_discard:
      return apart(kDiscardPatience, [&] {
        discard_device(handle->claimed_descriptor(), facts->size, step.kind == PrepareKind::secure_discard);
        return std::string();
      });
    case PrepareKind::wipe: {
      handle->check();
      handle->release();  // wipefs refuses a device that is claimed
      std::string said = wipe_signatures(handle->program_path(), stopped);
      handle->check();
      handle->claim();
      return said;
    }
    case PrepareKind::scheduler:
      return change_setting("scheduler", step.value);
    default:
      return change_setting("read_ahead_kb", step.value);
  }
}

std::string DeviceSetup::State::make() {
  handle->check();
  handle->release();  // mkfs refuses a device that is claimed
  std::string said = make_filesystem(*disk.filesystem, handle->program_path(), stopped);
  handle->check();
  return said;
}

std::string DeviceSetup::State::mount() {
  if (!handle) guard_share(disk);
  create_folder(journal, undo(UndoKind::remove_folder, disk.mount_point));
  if (handle) handle->check();
  const std::string source = handle ? handle->program_path() : disk.share->source;
  const std::string& type = handle ? disk.filesystem->type : disk.share->type;
  const auto& options = handle ? disk.filesystem->mount_options : disk.share->options;
  return journaled(undo(UndoKind::unmount, disk.mount_point), [&] {
    std::string said = mount_at(source, type, options, disk.mount_point, stopped);
    if (handle) handle->check();
    return said;
  });
}

std::string DeviceSetup::State::prepare_filesystem(const PrepareStep& step) const {
  if (step.kind == PrepareKind::fstrim)
    return apart(kDiscardPatience, [&] { return trim_filesystem(disk.mount_point); });
  if (step.kind == PrepareKind::owner) set_owner(disk.mount_point, step.value);
  if (step.kind == PrepareKind::mode) set_mode(disk.mount_point, step.value);
  return "";
}

std::string DeviceSetup::State::hold_to_throttle() {
  throttle = throttle_group_path(journal.header().run_id, disk.name);
  return journaled(undo(UndoKind::remove_throttle, throttle), [&] {
    make_throttle(throttle, facts->number.major, facts->number.minor, limits_of(disk.throttle));
    return throttle + "\n";
  });
}

DeviceSetup::DeviceSetup(const DiskPlan& disk, GuardedDevice guarded, Journal& journal, std::function<bool()> stopped)
    : state_(new State{
          disk, guarded.written, std::move(guarded.facts), journal, std::move(stopped), disk.path, {}, {}, {}}) {}
DeviceSetup::~DeviceSetup() = default;
DeviceSetup::DeviceSetup(DeviceSetup&&) noexcept = default;

void DeviceSetup::run(const Step& step) {
  State& state = *state_;
  const DiskPlan& disk = state.disk;
  if (disk.kind == DiskKind::loop) step("attach", [&] { return state.attach(); });
  if (disk.kind != DiskKind::mount) step("open", [&] { return state.open(); });
  for (const PrepareStep& one : disk.prepare) {
    if (!is_of_filesystem(one.kind)) step(std::string(name_of(one.kind)), [&] { return state.prepare_device(one); });
  }
  if (disk.filesystem) step("mkfs." + disk.filesystem->type, [&] { return state.make(); });
  if (!disk.mount_point.empty()) step("mount", [&] { return state.mount(); });
  for (const PrepareStep& one : disk.prepare) {
    if (is_of_filesystem(one.kind)) step(std::string(name_of(one.kind)), [&] { return state.prepare_filesystem(one); });
  }
  if (!disk.throttle.values.empty()) step("throttle", [&] { return state.hold_to_throttle(); });
}

void DeviceSetup::close() {
  State& state = *state_;
  if (!state.handle || close_apart([&] { state.handle.reset(); }, kClosePatience)) return;
  throw Error(ErrorKind::failed, fmt::format("{} did not take what was written to it through the page cache within "
                                             "{} s; it may still do so, or does not answer any more",
                                             state.facts->path, kClosePatience / 1'000'000'000));
}

bool DeviceSetup::quiet(std::uint64_t patience) const {
  if (!state_->facts) return true;
  const std::uint64_t end = monotonic_ns() + patience;
  while (in_flight(state_->facts->number) > 0) {
    if (monotonic_ns() >= end || state_->stopped()) return false;
    usleep(10'000);
  }
  return true;
}

int DeviceSetup::descriptor() const noexcept {
  if (!state_->handle || !is_raw(state_->disk)) return -1;
  return state_->written ? state_->handle->claimed_descriptor() : state_->handle->descriptor();
}

std::string DeviceSetup::throttle_group() const { return state_->throttle; }
std::optional<DeviceFacts> DeviceSetup::facts() const { return state_->facts; }

}  // namespace diskproof
