// Questions to a disk or volume by DeviceIoControl. What is not answered is empty: not every driver knows every one.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "support/system_windows.hpp"
// after windows.h
#include <winioctl.h>

namespace diskproof {

// Opens without a right to read or write, which nobody is refused; `rights` otherwise. Invalid where there is none.
Handle open_device(const std::string& path, DWORD rights);

// The whole answer, at most 64 KiB; empty: none.
std::vector<std::uint8_t> ask(HANDLE device, DWORD control, const void* request = nullptr, DWORD size = 0);
std::vector<std::uint8_t> ask_property(HANDLE device, STORAGE_PROPERTY_ID property);

// As the structure that begins the answer; all zero where that is shorter.
template <class T>
T begin_of(const std::vector<std::uint8_t>& answer);

// Bytes; 0: not told.
std::uint64_t device_size(HANDLE device);

template <class T>
T begin_of(const std::vector<std::uint8_t>& answer) {
  T out{};
  if (answer.size() >= sizeof out) std::memcpy(&out, answer.data(), sizeof out);
  return out;
}

}  // namespace diskproof
