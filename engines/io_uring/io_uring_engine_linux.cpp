// io_uring: the exported symbols and the opening of a queue.
#include "io_uring_engine_linux.hpp"

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string>
#include <system_error>

#include "io_uring_queue_linux.hpp"

namespace dp {
namespace {

RingSetup setup_of(const dp_queue_params& params) {
  const Options options(params.options, params.option_count);
  return {.depth = params.depth,
          .iopoll = options.flag("iopoll"),
          .sqpoll = options.flag("sqpoll"),
          .sqpoll_idle_ms = static_cast<std::uint32_t>(options.number("sqpoll_idle", 1'000'000'000) / 1'000'000)};
}

struct Free {
  void operator()(void* memory) const noexcept { std::free(memory); }
};

}  // namespace

IoUringQueue::IoUringQueue(IoUringEngine& engine, const dp_queue_params& params)
    : host_(engine.host),
      depth_(params.depth),
      ring_(setup_of(params)),
      names_(ring_, std::span(params.targets, params.target_count), params.depth) {
  const std::span targets(params.targets, params.target_count);
  files_.reserve(targets.size());
  for (const dp_target& target : targets) files_.emplace_back(target);
  uncounted_.resize(depth_);
  refused_.reserve(depth_);
  description_ = std::string("ring: ") + ring_.flags();
  const Options options(params.options, params.option_count);
  register_files(options.text("registered_files", "auto"));
  register_buffers(options.text("fixed_buffers", "auto"), std::span(params.regions, params.region_count));
  if (options.flag("iopoll")) {
    prove_polling(targets);
    beside_.emplace(RingSetup{.depth = depth_});
    description_ += ", iopoll";
  }
}

void IoUringQueue::register_files(std::string_view mode) {
  if (mode == "off" || files_.empty()) return;
  std::vector<int> descriptors;
  for (const LinuxFile& file : files_) descriptors.push_back(file.descriptor());
  const int status = ring_.register_files(descriptors);
  fixed_files_ = status == 0;
  if (fixed_files_) {
    description_ += ", fixed files";
    return;
  }
  const std::string why = std::generic_category().message(-status);
  if (mode == "on")
    throw EngineError(code_from_errno(-status),
                      "register " + std::to_string(files_.size()) + " files (registered_files: on): " + why, -status);
  description_ += ", files not registered (" + why + ")";
}

void IoUringQueue::register_buffers(std::string_view mode, std::span<const dp_region> regions) {
  if (mode == "off" || regions.empty()) return;
  const int status = ring_.register_buffers(regions);
  fixed_buffers_ = status == 0;
  if (fixed_buffers_) {
    description_ += ", fixed buffers";
    return;
  }
  std::string why = std::generic_category().message(-status);
  if (status == -ENOMEM) why += ", see ulimit -l";
  if (mode == "on") {
    std::uint64_t bytes = 0;
    for (const dp_region& region : regions) bytes += region.length;
    throw EngineError(code_from_errno(-status),
                      "register " + std::to_string(bytes) + " bytes of buffers (fixed_buffers: on): " + why, -status);
  }
  description_ += ", buffers not registered (" + why + ")";
}

void IoUringQueue::prove_polling(std::span<const dp_target> targets) {
  constexpr std::size_t kPage = 4096;
  for (std::uint32_t i = 0; i < targets.size(); ++i) {
    const std::string tried = std::string("iopoll on ") + targets[i].spec;
    if ((targets[i].flags & DP_TARGET_DIRECT) == 0)
      throw EngineError(DP_EINVAL, tried + ": polling needs direct I/O (direct: true)");
    dp_target_info info{};
    files_[i].describe(info);
    const std::uint32_t length = std::max<std::uint32_t>(kPage, info.offset_alignment);
    std::unique_ptr<void, Free> buffer(std::aligned_alloc(std::max<std::size_t>(kPage, info.memory_alignment), length));
    if (buffer == nullptr) throw std::bad_alloc();
    io_uring_prep_read(ring_.next_sqe(), files_[i].descriptor(), buffer.get(), length, 0);
    const std::uint64_t deadline = host_.after(host_.now(), 5'000'000'000);
    std::optional<int> result;
    int status = 0;
    while (!result && status == 0 && host_.now() < deadline) {
      status = ring_.enter(0, 0);
      ring_.take([&](const io_uring_cqe& cqe) { return result = cqe.res, true; });
    }
    if (!result) {
      static_cast<void>(buffer.release());  // the device may still write there
      throw EngineError(DP_ENOTSUP, tried + ": a polled read did not complete within 5 s", -status);
    }
    if (*result == -EOPNOTSUPP)
      throw EngineError(DP_ENOTSUP,
                        tried +
                            ": a polled read is not supported: the device has no polled queues (NVMe: module "
                            "parameter nvme.poll_queues) or the file system does not poll",
                        EOPNOTSUPP);
    if (*result < 0) throw_errno(-*result, tried + ": a polled read");
  }
}

void IoUringQueue::target_info(std::uint32_t target, dp_target_info& info) const {
  files_.at(target).describe(info);
  copy_text(info.description, description_);
}

}  // namespace dp

DP_DEFINE_ENGINE(dp::IoUringEngine)
