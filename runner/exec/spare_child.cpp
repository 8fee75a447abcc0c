// At most one child waits.
#include "exec/spare_child.hpp"

#include <exception>

namespace diskproof {

void SpareChild::prepare() noexcept {
  if (waiting_ != nullptr) return;
  try {
    waiting_ = std::make_unique<ChildProcess>(executable_);
  } catch (const std::exception&) {
    waiting_.reset();
  }
}

std::unique_ptr<ChildProcess> SpareChild::take() noexcept {
  try {
    if (waiting_ != nullptr && waiting_->wait(std::chrono::milliseconds(0))) waiting_.reset();
  } catch (const std::exception&) {
    waiting_.reset();
  }
  return std::move(waiting_);
}

std::unique_ptr<ChildProcess> start_child(const ChildSettings& settings, const std::vector<int>& inherited) {
  if (settings.spare != nullptr && inherited.empty()) {
    if (auto spare = settings.spare->take()) return spare;
  }
  return std::make_unique<ChildProcess>(settings.executable, "--phase-child", inherited);
}

}  // namespace diskproof
