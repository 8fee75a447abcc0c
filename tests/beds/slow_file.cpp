// slow_file STORE MOUNT CONTROL: shows the regular files of the folder STORE in MOUNT, as slow and as faulty as the
// file CONTROL says: a disk with a promised limit, for tests. In the foreground, until it is unmounted or gets SIGTERM.
//
// CONTROL holds lines `NAME VALUE`, read again within 50 ms of a change:
//   read_iops, write_iops  operations per second, evenly paced; 0: no limit
//   latency_us             added to every read and write
//   error_every            every so manieth read or write fails with EIO; 0: none
//   flip_every             one bit of every so manieth read of 4 KiB or more is wrong; 0: none
//   stall                  1: reads and writes wait until it is 0 again
//   dead                   1: so does every look at a path
//
// Reads and writes go past the page cache (direct_io), so that each is one request here. Requests are served by up to
// 64 threads, which is the deepest queue that is paced evenly.
#define FUSE_USE_VERSION 312

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <fuse.h>
#include <mutex>
#include <string>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

void sleep_until(std::int64_t when) {
  const timespec time{when / kSecond, when % kSecond};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) {
  }
}

enum Setting : std::size_t { read_iops, write_iops, latency_us, error_every, flip_every, stall, dead, kSettings };
constexpr std::array<const char*, kSettings> kNames{"read_iops",  "write_iops", "latency_us", "error_every",
                                                    "flip_every", "stall",      "dead"};
std::array<std::atomic<std::int64_t>, kSettings> settings;

void read_settings(const std::string& path) {
  std::ifstream file(path);
  std::string name;
  std::int64_t value = 0;
  while (file >> name >> value) {
    const auto* const found = std::find(kNames.begin(), kNames.end(), name);
    if (found != kNames.end()) settings[static_cast<std::size_t>(found - kNames.begin())] = value;
  }
}

void watch_settings(const std::string& path) {
  timespec seen{};
  for (;;) {
    struct stat status {};
    const bool changed = ::stat(path.c_str(), &status) == 0 &&
                         (status.st_mtim.tv_sec != seen.tv_sec || status.st_mtim.tv_nsec != seen.tv_nsec);
    if (changed) {
      seen = status.st_mtim;
      read_settings(path);
    }
    sleep_until(now() + kSecond / 50);
  }
}

// Starts of operations at even distances. What was not used for 5 ms is lost: there are no bursts.
class Pacer {
 public:
  void wait(std::int64_t iops) {
    if (iops <= 0) return;
    std::int64_t start = 0;
    {
      const std::lock_guard lock(mutex_);
      start = std::max(next_, now() - 5 * kSecond / 1000);
      next_ = start + kSecond / iops;
    }
    sleep_until(start);
  }

 private:
  std::mutex mutex_;
  std::int64_t next_ = 0;
};

Pacer reads, writes;
std::atomic<std::uint64_t> operations{0}, reads_done{0};
int store = -1;

bool every(std::atomic<std::uint64_t>& counter, std::int64_t distance) {
  return distance > 0 && ++counter % static_cast<std::uint64_t>(distance) == 0;
}

// 0, or the error that the operation ends with.
void wait_while(Setting setting) {
  while (settings[setting] != 0) sleep_until(now() + kSecond / 100);
}

int serve(Pacer& pacer, Setting rate) {
  pacer.wait(settings[rate]);
  if (const std::int64_t latency = settings[latency_us]; latency > 0) sleep_until(now() + latency * 1000);
  wait_while(stall);
  return every(operations, settings[error_every]) ? -EIO : 0;
}

const char* in_store(const char* path) { return path[1] == '\0' ? "." : path + 1; }
int result(int status) { return status < 0 ? -errno : status; }
int descriptor(const fuse_file_info* file) { return static_cast<int>(file->fh); }

void* on_init(fuse_conn_info* connection, fuse_config* config) {
  connection->max_background = 256;
  config->direct_io = 1;
  config->attr_timeout = config->entry_timeout = 0;
  return nullptr;
}
int on_getattr(const char* path, struct stat* status, fuse_file_info*) {
  wait_while(dead);
  return result(fstatat(store, in_store(path), status, AT_SYMLINK_NOFOLLOW));
}
int on_open(const char* path, fuse_file_info* file) {
  const int opened = openat(store, in_store(path), (file->flags & ~O_DIRECT) | O_NOFOLLOW | O_CLOEXEC);
  if (opened < 0) return -errno;
  file->fh = static_cast<std::uint64_t>(opened);
  return 0;
}
int on_create(const char* path, mode_t mode, fuse_file_info* file) {
  const int opened = openat(store, in_store(path), (file->flags & ~O_DIRECT) | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode);
  if (opened < 0) return -errno;
  file->fh = static_cast<std::uint64_t>(opened);
  return 0;
}
int on_release(const char*, fuse_file_info* file) { return result(close(descriptor(file))); }
int on_read(const char*, char* data, std::size_t size, off_t offset, fuse_file_info* file) {
  if (const int error = serve(reads, read_iops); error != 0) return error;
  const ssize_t got = pread(descriptor(file), data, size, offset);
  if (got >= 4096 && every(reads_done, settings[flip_every])) data[0] = static_cast<char>(data[0] ^ 1);
  return result(static_cast<int>(got));
}
int on_write(const char*, const char* data, std::size_t size, off_t offset, fuse_file_info* file) {
  if (const int error = serve(writes, write_iops); error != 0) return error;
  return result(static_cast<int>(pwrite(descriptor(file), data, size, offset)));
}
int on_fsync(const char*, int data_only, fuse_file_info* file) {
  return result(data_only != 0 ? fdatasync(descriptor(file)) : fsync(descriptor(file)));
}
int on_truncate(const char* path, off_t size, fuse_file_info* file) {
  if (file != nullptr) return result(ftruncate(descriptor(file), size));
  const int opened = openat(store, in_store(path), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  if (opened < 0) return -errno;
  const int status = result(ftruncate(opened, size));
  close(opened);
  return status;
}
int on_fallocate(const char*, int mode, off_t offset, off_t length, fuse_file_info* file) {
  return result(fallocate(descriptor(file), mode, offset, length));
}
int on_unlink(const char* path) { return result(unlinkat(store, in_store(path), 0)); }
int on_mkdir(const char* path, mode_t mode) { return result(mkdirat(store, in_store(path), mode)); }
int on_rmdir(const char* path) { return result(unlinkat(store, in_store(path), AT_REMOVEDIR)); }
int on_rename(const char* from, const char* to, unsigned flags) {
  return result(renameat2(store, in_store(from), store, in_store(to), flags));
}
int on_chmod(const char* path, mode_t mode, fuse_file_info*) {
  return result(fchmodat(store, in_store(path), mode, 0));
}
int on_utimens(const char* path, const timespec times[2], fuse_file_info*) {
  return result(utimensat(store, in_store(path), times, AT_SYMLINK_NOFOLLOW));
}
int on_statfs(const char*, struct statvfs* status) {
  wait_while(dead);
  return result(fstatvfs(store, status));
}
int on_readdir(const char* path, void* buffer, fuse_fill_dir_t fill, off_t, fuse_file_info*, fuse_readdir_flags) {
  const int opened = openat(store, in_store(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const folder = opened < 0 ? nullptr : fdopendir(opened);
  if (folder == nullptr) return -errno;
  while (const dirent* entry = readdir(folder)) {
    if (fill(buffer, entry->d_name, nullptr, 0, fuse_fill_dir_flags{}) != 0) break;
  }
  closedir(folder);
  return 0;
}

fuse_operations operations_table() {
  fuse_operations table{};
  table.init = on_init;
  table.getattr = on_getattr;
  table.open = on_open;
  table.create = on_create;
  table.release = on_release;
  table.read = on_read;
  table.write = on_write;
  table.fsync = on_fsync;
  table.truncate = on_truncate;
  table.fallocate = on_fallocate;
  table.unlink = on_unlink;
  table.mkdir = on_mkdir;
  table.rmdir = on_rmdir;
  table.rename = on_rename;
  table.chmod = on_chmod;
  table.utimens = on_utimens;
  table.statfs = on_statfs;
  table.readdir = on_readdir;
  return table;
}

int serve_mount(const char* program, const char* mount) {
  std::string argument = program;
  std::string option = "-o";
  std::string options = "fsname=slow_file,default_permissions";
  std::array<char*, 3> arguments{argument.data(), option.data(), options.data()};
  fuse_args args = FUSE_ARGS_INIT(static_cast<int>(arguments.size()), arguments.data());
  const fuse_operations table = operations_table();
  fuse* const handle = fuse_new(&args, &table, sizeof table, nullptr);
  if (handle == nullptr || fuse_mount(handle, mount) != 0) return 1;
  fuse_set_signal_handlers(fuse_get_session(handle));
  fuse_loop_config* const config = fuse_loop_cfg_create();
  fuse_loop_cfg_set_max_threads(config, 64);
  fuse_loop_cfg_set_idle_threads(config, 64);
  const int status = fuse_loop_mt(handle, config);
  fuse_loop_cfg_destroy(config);
  fuse_unmount(handle);
  fuse_destroy(handle);
  return status == 0 || status == SIGTERM ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: slow_file STORE MOUNT CONTROL\n");
    return 2;
  }
  store = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (store < 0) {
    std::perror(argv[1]);
    return 1;
  }
  prctl(PR_SET_TIMERSLACK, 1);  // threads made later inherit it
  read_settings(argv[3]);
  std::thread(watch_settings, std::string(argv[3])).detach();
  return serve_mount(argv[0], argv[2]);
}
