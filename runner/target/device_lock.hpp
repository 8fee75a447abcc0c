// Keeps two runs from one device: a lock per device number in the state root, held while this object lives. A disk
// takes those of its partitions too, so that runs on two partitions go together and one on their disk does not. The
// lock's file names the run, and stays.
#pragma once

#include <string>
#include <vector>

#include "target/device_facts.hpp"
#include "target/files.hpp"

namespace diskproof {

class DeviceLock {
 public:
  // `folder` is that of the run's journal, `device` one of `table`. Throws Error{refused} where another run has it, or
  // where one was cut off and its journal still waits for `cleanup`.
  DeviceLock(const std::string& folder, const std::string& disk, const DeviceFacts& device, const DeviceTable& table);

 private:
  std::vector<OpenFile> locks_;
};

}  // namespace diskproof
