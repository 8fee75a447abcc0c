// sim: a disk that exists only as a script. It serves operations by a service time, limits and planned faults, and
// waits through the host's clock alone, so that on a manual clock every latency is exact. Its credits, its cliff and
// its content lie in the run's state folder under the name of the disk, and outlive the phase.
#include "sim_engine.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <span>

#include "sim_queue.hpp"

namespace sim {
namespace {

// A file name for a target that may be called anything: what is not a letter, digit, - or _ becomes its code.
std::string file_name(const char* target) {
  constexpr const char* kDigits = "0123456789abcdef";
  constexpr std::size_t kLongest = 200;
  std::string name = "sim-";
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a, to tell long names apart
  for (const char* letter = target; *letter != '\0'; ++letter) {
    const auto code = static_cast<unsigned char>(*letter);
    hash = (hash ^ code) * 0x100000001b3;
    const bool plain = (code >= 'a' && code <= 'z') || (code >= '0' && code <= '9') || code == '-' || code == '_';
    if (plain) {
      name += *letter;
    } else {
      name += {'%', kDigits[code >> 4], kDigits[code & 15]};
    }
  }
  return name.size() <= kLongest ? name : name.substr(0, kLongest - 24) + "~" + std::to_string(hash);
}

// A range that no operation can touch is a slip of the job.
void check_range(const char* option, const Selector& selector, std::span<const dp_target> targets) {
  if (selector.length == 0 || targets.empty()) return;
  std::uint64_t size = 0;
  for (const dp_target& target : targets) size = std::max(size, target.size);
  if (selector.offset < size) return;
  throw dp::EngineError(DP_EINVAL, std::string(option) + " " + std::to_string(selector.offset) +
                                       " lies behind the end of the disk, which has " + std::to_string(size) +
                                       " bytes; it needs a smaller offset or a larger disk");
}

}  // namespace

SimEngine::SimEngine(dp::Host host, dp::Options options)
    : host_(host), model_(parse_script(host, options), host.ticks_per_second()) {}

std::vector<Content*> SimEngine::attach(const dp_queue_params& params) {
  const std::scoped_lock lock(mutex_);
  const std::span targets(params.targets, params.target_count);
  check_range("error_offset", model_.script().errors, targets);
  check_range("fault_offset", model_.script().faults, targets);
  if (!memory_) attach_memory(file_name(targets.empty() ? "" : targets.front().spec));
  model_.expect(params.depth);
  std::vector<Content*> contents;
  if (!model_.script().content) return contents;
  for (const dp_target& target : targets) {
    std::unique_ptr<Content>& content = contents_[target.spec];
    if (!content) {
      content = std::make_unique<Content>(host_.state_dir(), file_name(target.spec), target.size, model_.script());
    }
    contents.push_back(content.get());
  }
  return contents;
}

void SimEngine::attach_memory(const std::string& name) {
  memory_.emplace(host_.state_dir(), name + ".state");
  try {
    const bool alone = memory_->claim();
    model_.attach(*static_cast<DiskMemory*>(memory_->map(sizeof(DiskMemory))), alone, host_.now());
    memory_->share();
  } catch (...) {
    memory_.reset();
    throw;
  }
}

}  // namespace sim

DP_DEFINE_ENGINE(sim::SimEngine)
