// From "10GiB" and "100%" to bytes: file sizes and the region of a phase inside its file.
#pragma once

#include <cstdint>

#include "job/job.hpp"

namespace diskproof {

struct Span {  // bytes of one file that a phase works on
  std::uint64_t from = 0;
  std::uint64_t size = 0;
};

// How many files the phase works on; thread t on file t modulo that.
std::uint32_t files_of(const Disk& disk, const Phase& phase);

// How many threads share one of its files, at most.
std::uint32_t sharers_of(const Disk& disk, const Phase& phase);

// Bytes of each file that the phase asks for; of a share, `disk.capacity` must say of how much.
std::uint64_t file_size_of(const Disk& disk, const Phase& phase);

// The phase's region in a file of that size. Percentages are rounded down to whole blocks.
Span region_of(const Phase& phase, std::uint64_t file_size);

}  // namespace diskproof
