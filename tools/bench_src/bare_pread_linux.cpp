// The bare loop of pread, and the opening of files for all bare loops.
#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

#include "bare_loop.hpp"

namespace diskproof::bench {

void throw_errno(int error, const char* call) { throw std::system_error(error, std::generic_category(), call); }

void throw_short(std::int64_t result) {
  if (result < 0) throw_errno(static_cast<int>(-result), "read");
  throw std::runtime_error("a read came back short: is the file as long as size says?");
}

File::File(const BareJob& job)
    : descriptor_(::open(job.path.c_str(), O_RDONLY | O_CLOEXEC | (job.direct ? O_DIRECT : 0))) {
  if (descriptor_ < 0) throw_errno(errno, "open");
}

File::~File() { ::close(descriptor_); }

BareResult run_pread(const BareJob& job) {
  const File file(job);
  const Buffers buffers(1);
  Offsets offsets(job.size);
  std::uint64_t operations = 0;
  Stopwatch watch(job);
  do {
    const ssize_t got = ::pread(file.descriptor(), buffers.at(0), kBlock, static_cast<off_t>(offsets.next()));
    if (got != kBlock) throw_short(got < 0 ? -errno : got);
    ++operations;
  } while (watch.goes_on(operations));
  return watch.result(operations);
}

}  // namespace diskproof::bench
