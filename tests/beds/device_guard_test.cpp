// The guard, the lock and the descriptor of a device on real loop devices: each refusal leaves every byte as it was.
#include "target/device_guard.hpp"

#include <cstring>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sys/mount.h>
#include <sys/swap.h>
#include <unistd.h>

#include "beds/loop_disk.hpp"
#include "integration/program.hpp"
#include "support/error.hpp"
#include "target/device_handle_linux.hpp"
#include "target/device_lock.hpp"
#include "target/journal.hpp"

namespace diskproof::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSize = 4 << 20;

std::size_t hash_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(kSize, '\0');
  file.read(bytes.data(), kSize);
  REQUIRE(file.gcount() == kSize);
  return std::hash<std::string>{}(bytes);
}

bool skipped(const LoopDisk& disk) {
  if (disk.fault().empty()) return false;
  MESSAGE("skipped: no loop device, ", disk.fault());
  return true;
}

const DeviceConsent kConsent{.disk = "data", .destroy = true, .allowed = "", .identity = {}};

struct Decision {
  ErrorKind kind = ErrorKind::failed;
  std::string text;  // empty: allowed
};

// As a run decides, with the descriptor that it would write through.
Decision decide(const std::string& path, const DeviceConsent& consent = kConsent) {
  try {
    const DevicePath place = resolve_device(path);
    DeviceTable table = read_devices();
    look_into(table, {place.number});
    guard_device(place, table, consent);
    DeviceHandle handle(*table.find(place.number));
    handle.claim();
    handle.check();
  } catch (const Error& error) {
    return {error.kind(), error.what()};
  }
  return {};
}

void check_refused(const LoopDisk& disk, const std::string& path, const std::string& text,
                   const DeviceConsent& consent = kConsent) {
  CAPTURE(path);
  const std::size_t before = hash_of(disk.device());
  const Decision decision = decide(path, consent);
  CAPTURE(decision.text);
  CHECK(decision.kind == ErrorKind::refused);
  CHECK(decision.text.find(text) != std::string::npos);
  CHECK(hash_of(disk.device()) == before);
}

// Mounted in this process's namespace.
class Mount {
 public:
  Mount(const std::string& device, std::string folder, unsigned long flags = 0) : folder_(std::move(folder)) {
    fs::create_directory(folder_);
    mounted_ = ::mount(device.c_str(), folder_.c_str(), "ext4", flags, nullptr) == 0;
  }
  ~Mount() {
    if (mounted_) ::umount(folder_.c_str());
  }
  Mount(const Mount&) = delete;
  Mount& operator=(const Mount&) = delete;
  [[nodiscard]] bool mounted() const noexcept { return mounted_; }

 private:
  std::string folder_;
  bool mounted_ = false;
};

bool make_ext4(const LoopDisk& disk) {
  return run_tool({"mkfs.ext4", "-q", "-F", "-L", "photos", disk.device()}).code == 0;
}

DeviceFacts facts_of(const LoopDisk& disk) {
  const DeviceTable table = read_devices();
  const DeviceFacts* found = table.find(disk.name());
  REQUIRE(found != nullptr);
  return *found;
}

std::string fault_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("device bed: an empty loop device with consent may be written to, and its facts are known") {
  const LoopDisk disk(kSize);
  if (skipped(disk)) return;
  CHECK(decide(disk.device()).text == "");
  const DeviceFacts facts = facts_of(disk);
  CHECK(facts.kind == DeviceKind::loop);
  CHECK(facts.size == kSize);
  CHECK(facts.backing_file == disk.image());
  CHECK(facts.logical_sector == 512);
  CHECK(facts.serial == "");
}

TEST_CASE("device bed: a mounted device is refused by every name, whatever is said") {
  const LoopDisk disk(kSize);
  if (skipped(disk)) return;
  REQUIRE(make_ext4(disk));
  const std::string link = disk.folder().path("link"), chain = disk.folder().path("chain");
  fs::create_symlink(disk.device(), link);
  fs::create_symlink("link", chain);
  const Mount mount(disk.device(), disk.folder().path("mounted"), MS_RDONLY);
  REQUIRE(mount.mounted());
  for (const std::string& path : {disk.device(), link, chain, "/dev/../dev/" + disk.name(),
                                  disk.folder().path("mounted/../../../dev/" + disk.name())}) {
    check_refused(disk, path, "/dev/" + disk.name() + " is mounted at " + disk.folder().path("mounted") + " (ext4)");
  }
}

TEST_CASE("device bed: a device that is mounted in another namespace only is refused") {
  const LoopDisk disk(kSize);
  if (skipped(disk)) return;
  REQUIRE(make_ext4(disk));
  fs::create_directory(disk.folder().path("there"));
  Program elsewhere(
      Launch{{"unshare", "--mount", "--propagation", "private", "sh", "-c",
              "mount -o ro \"$0\" \"$1\" && echo ready && exec sleep 60", disk.device(), disk.folder().path("there")},
             {},
             disk.folder().path(),
             disk.folder().path("out"),
             disk.folder().path("err")});
  for (int i = 0; i < 200 && disk.folder().read("out").empty() && elsewhere.running(); ++i) ::usleep(50'000);
  if (!elsewhere.running()) {
    MESSAGE("skipped: no mount namespace, ", disk.folder().read("err"));
    return;
  }
  check_refused(disk, disk.device(), "in the mount namespace of process");
  // Even where no process tells of it, the claim fails.
  CHECK(has(fault_of([&] { DeviceHandle(facts_of(disk)).claim(); }), "is in use: something has claimed it"));
}

TEST_CASE("device bed: read-only, foreign content, swap, and what is no device") {
  const LoopDisk read_only(kSize, true), full(kSize);
  if (skipped(read_only) || skipped(full)) return;
  check_refused(read_only, read_only.device(), "is read-only");
  CHECK(has(fault_of([&] { DeviceHandle(facts_of(read_only)).claim(); }), "is read-only; make it writable"));

  REQUIRE(make_ext4(full));
  check_refused(full, full.device(), "holds ext4 \"photos\"",
                {.disk = "data", .destroy = true, .allowed = {}, .identity = {}});
  check_refused(full, full.device(), "set `destroy: true`",
                {.disk = "data", .destroy = false, .allowed = "", .identity = {}});
  check_refused(full, full.device(), "the job asks for 1 GiB",
                {.disk = "data", .destroy = true, .allowed = "", .identity = {.size = 1 << 30}});
  check_refused(full, full.device(), "neither serial nor WWN",
                {.disk = "data", .destroy = true, .allowed = "X", .identity = {}});
  CHECK(decide(full.device()).text == "");  // consent covers it

  check_refused(full, full.folder().path(), "is a folder, not a block device");
  check_refused(full, full.image(), "is a regular file, not a block device");
  check_refused(full, "/dev/null", "is not a block device");
  check_refused(full, full.folder().path("nothing"), "does not exist");
  CHECK_FALSE(full.folder().has("nothing"));

  REQUIRE(run_tool({"mkswap", full.device()}).code == 0);
  if (::swapon(full.device().c_str(), 0) != 0) {
    MESSAGE("skipped: no swap, ", std::strerror(errno));
    return;
  }
  check_refused(full, full.device(), "is swap space in use");
  ::swapoff(full.device().c_str());
}

TEST_CASE("device bed: a handle is of one device: another image under the same name is told") {
  LoopDisk disk(kSize);
  const LoopDisk other(kSize);
  if (skipped(disk) || skipped(other)) return;
  const DeviceFacts before = facts_of(disk);
  {
    DeviceHandle handle(before);
    CHECK(handle.claimed_descriptor() == -1);
    handle.claim();
    CHECK(handle.claimed_descriptor() >= 0);
    CHECK(has(fault_of([&] { DeviceHandle(before).claim(); }), "is in use"));
    CHECK(has(run_tool({"mkfs.ext4", "-q", "-F", disk.device()}).text, "in use"));
    handle.release();
    CHECK(run_tool({"mkfs.ext4", "-q", "-F", handle.program_path()}).code == 0);
    handle.check();
    DeviceHandle moved(std::move(handle));
    moved.claim();
    moved.check();
  }
  disk.folder().write("second", std::string(kSize, 'x'));
  const std::size_t content = hash_of(disk.folder().path("second"));
  disk.attach_anew(disk.folder().path("second"));
  REQUIRE(disk.fault() == "");
  if (before.sequence == 0) {
    MESSAGE("skipped: this kernel does not count devices");
    return;
  }
  CHECK(has(fault_of([&] { const DeviceHandle handle(before); }), "another one was attached in its place"));
  CHECK(hash_of(disk.folder().path("second")) == content);
}

TEST_CASE("device bed: a device that is detached under its handle is told") {
  LoopDisk disk(kSize);
  if (skipped(disk)) return;
  const DeviceFacts before = facts_of(disk);
  disk.detach();
  CHECK(has(fault_of([&] { const DeviceHandle handle(before); }), "is not the device any more"));
}

TEST_CASE("device bed: a second run is kept from the device, and one that was cut off too") {
  const LoopDisk disk(kSize);
  if (skipped(disk)) return;
  const std::string root = disk.folder().path("state");
  const DeviceTable table = read_devices();
  const DeviceFacts& device = *table.find(disk.name());
  const auto header = [](const char* run, const ProcessIdentity& process) {
    return JournalHeader{
        .run_id = run, .job_file = "job.yaml", .started_at = "today", .started = 1, .process = process};
  };
  ProcessIdentity gone = current_process();
  gone.start_time += 1;
  Journal first(root, header("first", gone)), second(root, header("second", current_process()));
  const auto lock = [&](const Journal& journal) { DeviceLock(journal.folder(), "data", device, table); };
  {
    const DeviceLock held(first.folder(), "data", device, table);
    CHECK(has(fault_of([&] { lock(second); }), "is in use by another run of diskproof"));
  }
  CHECK(has(fault_of([&] { lock(second); }), "was in use by the run first, which was cut off; finish it with"));
  first.remove();  // as its undo does at the end
  CHECK(fault_of([&] { lock(second); }) == "");
  CHECK(fault_of([&] { lock(second); }) == "");
  Journal third(root, header("third", current_process()));
  CHECK(has(fault_of([&] { lock(third); }), "is in use by another run of diskproof"));  // the second one undoes
}

}  // namespace diskproof::testing
