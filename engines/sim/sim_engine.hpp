// What all queues of one simulated disk share.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <diskproof/engine.hpp>

#include "content.hpp"
#include "disk_model.hpp"
#include "options.hpp"
#include "state_file.hpp"

namespace sim {

class SimQueue;

class SimEngine {
 public:
  using Queue = SimQueue;
  static constexpr dp::About kAbout{.name = "sim",
                                    .version = "0.2.0",
                                    .summary = "a simulated disk with scripted service time, limits and faults",
                                    .capabilities = DP_CAP_NO_TARGET | DP_CAP_STAMPS,
                                    .operations = dp::operations(DP_OP_READ, DP_OP_WRITE, DP_OP_TRIM, DP_OP_FSYNC,
                                                                 DP_OP_FDATASYNC, DP_OP_WRITE_ZEROES)};
  static constexpr auto& kOptions = sim::kOptions;

  static void probe(dp::Host) {}
  SimEngine(dp::Host host, dp::Options options);

  // Puts the disk on its state before the first queue works, and makes room for one more queue. The contents are those
  // of the targets, in order; none where nothing is kept. Any thread.
  std::vector<Content*> attach(const dp_queue_params& params);

  [[nodiscard]] const dp::Host& host() const noexcept { return host_; }
  [[nodiscard]] DiskModel& model() noexcept { return model_; }

 private:
  void attach_memory(const std::string& name);

  const dp::Host host_;
  DiskModel model_;
  std::mutex mutex_;  // of what follows
  std::optional<StateFile> memory_;
  std::map<std::string, std::unique_ptr<Content>> contents_;  // by target
};

}  // namespace sim
