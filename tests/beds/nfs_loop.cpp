// nfs_loop URL-OF-A-FILE BLOCK DEPTH SECONDS: random reads by libnfs and nothing else, the yardstick of the nfs engine.
// Prints operations per second and mean latency in ns.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <nfsc/libnfs.h>
#include <poll.h>
#include <random>
#include <sys/time.h>
#include <vector>

namespace {

std::uint64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

struct Loop {
  nfs_context* nfs = nullptr;
  nfsfh* file = nullptr;
  std::uint64_t block = 0, blocks = 0, operations = 0, waited = 0, in_flight = 0;
  bool stop = false;
  std::mt19937_64 random{1};
};
struct Tag {
  Loop* loop;
  std::uint64_t since = 0;
  std::vector<char> memory;
};

void done(int status, nfs_context*, void*, void* argument);

void start(Tag& tag) {
  Loop& loop = *tag.loop;
  const std::uint64_t offset = loop.random() % loop.blocks * loop.block;
  tag.since = now();
#ifdef LIBNFS_API_V2
  const int failed = nfs_pread_async(loop.nfs, loop.file, tag.memory.data(), loop.block, offset, done, &tag);
#else
  const int failed = nfs_pread_async(loop.nfs, loop.file, offset, loop.block, done, &tag);
#endif
  if (failed != 0) std::exit(2);
  ++loop.in_flight;
}

void done(int status, nfs_context*, void*, void* argument) {
  Tag& tag = *static_cast<Tag*>(argument);
  Loop& loop = *tag.loop;
  --loop.in_flight;
  if (status != static_cast<int>(loop.block)) std::exit(3);
  ++loop.operations;
  loop.waited += now() - tag.since;
  if (!loop.stop) start(tag);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 1;
  Loop loop;
  loop.nfs = nfs_init_context();
  nfs_url* url = nfs_parse_url_full(loop.nfs, argv[1]);
  if (url == nullptr || nfs_mount(loop.nfs, url->server, url->path) != 0) return 4;
  if (nfs_open(loop.nfs, url->file, O_RDONLY, &loop.file) != 0) return 5;
  nfs_stat_64 status{};
  if (nfs_fstat64(loop.nfs, loop.file, &status) != 0) return 6;
  loop.block = std::strtoull(argv[2], nullptr, 10);
  loop.blocks = status.nfs_size / loop.block;
  std::vector<Tag> tags(std::strtoull(argv[3], nullptr, 10));
  const std::uint64_t begin = now(), end = begin + std::strtoull(argv[4], nullptr, 10) * 1'000'000'000;
  for (Tag& tag : tags) {
    tag.loop = &loop;
    tag.memory.resize(loop.block);
    start(tag);
  }
  while (loop.in_flight > 0) {
    loop.stop = now() >= end;
    pollfd entry{nfs_get_fd(loop.nfs), static_cast<short>(nfs_which_events(loop.nfs)), 0};
    if (poll(&entry, 1, 100) < 0 || nfs_service(loop.nfs, entry.revents) != 0) return 7;
  }
  const std::uint64_t took = now() - begin;
  std::printf("%.1f %.1f\n", static_cast<double>(loop.operations) * 1e9 / static_cast<double>(took),
              static_cast<double>(loop.waited) / static_cast<double>(loop.operations));
  nfs_destroy_context(loop.nfs);
  return 0;
}
