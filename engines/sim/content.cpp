// Content lives in a state file, so that it outlives the process of its phase, however that ends. A volatile cache
// lives in the process: its end is the power cut.
#include "content.hpp"

#include <algorithm>
#include <new>

namespace sim {
namespace {

constexpr std::uint32_t kSector = 512;

bool needs_lock(Fault fault) noexcept {
  return fault == Fault::stale || fault == Fault::lost_unless_flushed || fault == Fault::lost_though_flushed;
}

bool failed(const Failure& failure) noexcept { return failure.code != DP_OK; }

}  // namespace

Content::Content(const char* folder, const std::string& target, std::uint64_t size, const Script& script)
    : size_(size), fault_(script.fault), dice_(script.service.seed), now_(folder, target + ".content") {
  if (fault_ == Fault::stale) before_.emplace(folder, target + ".before");
}

Failure Content::apply(const dp_io& io, std::uint32_t length, std::uint64_t number) noexcept try {
  if (length == 0 && (io.op == DP_OP_READ || io.op == DP_OP_WRITE)) return {};
  std::unique_lock lock(mutex_, std::defer_lock);
  if (needs_lock(fault_)) lock.lock();
  auto* const data = static_cast<std::byte*>(io.data);
  switch (io.op) {
    case DP_OP_READ:
      return read(io.offset, data, length, number != 0);
    case DP_OP_WRITE:
      return number == 0 ? write(io.offset, data, length) : write_wrongly(io.offset, data, length, number);
    case DP_OP_TRIM:
    case DP_OP_WRITE_ZEROES:
      return zero(io.offset, length);
    default:
      return flush();
  }
} catch (const std::bad_alloc&) {
  return {DP_ENOMEM, 0};
}

Failure Content::read(std::uint64_t offset, std::byte* data, std::uint32_t length, bool is_stale) {
  if (is_stale) return before_->read(offset, data, length);
  const Failure failure = now_.read(offset, data, length);
  cached_.lay_over(offset, {data, length});
  return failure;
}

Failure Content::write(std::uint64_t offset, const std::byte* data, std::uint32_t length) {
  if (const Failure failure = keep_before(offset, length); failed(failure)) return failure;
  cached_.cut(offset, length);
  return now_.write(offset, data, length);
}

Failure Content::write_wrongly(std::uint64_t offset, const std::byte* data, std::uint32_t length,
                               std::uint64_t number) {
  switch (fault_) {
    case Fault::bit_flip:
      return flip_bit(offset, data, length, number);
    case Fault::torn:  // whole sectors, where there are two
      return write(offset, data, length >= 2 * kSector ? length / 2 / kSector * kSector : length / 2);
    case Fault::misplaced:
      return write_elsewhere(offset, data, length);
    case Fault::lost:
      return {};
    case Fault::lost_unless_flushed:
    case Fault::lost_though_flushed:
      cached_.put(offset, {data, length});
      return {};
    case Fault::none:
    case Fault::stale:
      break;
  }
  return write(offset, data, length);
}

Failure Content::flip_bit(std::uint64_t offset, const std::byte* data, std::uint32_t length, std::uint64_t number) {
  const std::uint64_t bit = dice_.pick(Stream::bit, number, std::uint64_t{length} * 8);
  const std::byte wrong = data[bit / 8] ^ std::byte{1} << bit % 8;
  const Failure failure = write(offset, data, length);
  return failed(failure) ? failure : now_.write(offset + bit / 8, &wrong, 1);
}

// Behind its place, or before it at the disk's end; on a disk that has neither, nowhere.
Failure Content::write_elsewhere(std::uint64_t offset, const std::byte* data, std::uint32_t length) {
  if (size_ - offset >= 2 * std::uint64_t{length}) return write(offset + length, data, length);
  return offset >= length ? write(offset - length, data, length) : Failure{};
}

Failure Content::zero(std::uint64_t offset, std::uint64_t length) {
  if (const Failure failure = keep_before(offset, length); failed(failure)) return failure;
  cached_.cut(offset, length);
  return now_.zero(offset, length);
}

Failure Content::flush() {
  if (fault_ != Fault::lost_unless_flushed) return {};
  for (const auto& [offset, piece] : cached_.extents())
    if (const Failure failure = now_.write(offset, piece.data(), piece.size()); failed(failure)) return failure;
  cached_.clear();
  return {};
}

Failure Content::keep_before(std::uint64_t offset, std::uint64_t length) {
  if (!before_) return {};
  std::byte part[16 * 1024];
  while (length > 0) {
    const std::size_t size = std::min<std::uint64_t>(sizeof part, length);
    if (const Failure failure = now_.read(offset, part, size); failed(failure)) return failure;
    if (const Failure failure = before_->write(offset, part, size); failed(failure)) return failure;
    offset += size;
    length -= size;
  }
  return {};
}

}  // namespace sim
