// Answers of unknown length are asked for with a buffer that every one fits into.
#include "target/storage_query_windows.hpp"

namespace diskproof {

Handle open_device(const std::string& path, DWORD rights) {
  return Handle(
      CreateFileW(wide(path).c_str(), rights, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr, OPEN_EXISTING, 0, nullptr));
}

std::vector<std::uint8_t> ask(HANDLE device, DWORD control, const void* request, DWORD size) {
  std::vector<std::uint8_t> answer(64 * 1024);
  DWORD got = 0;
  if (DeviceIoControl(device, control, const_cast<void*>(request), size, answer.data(),
                      static_cast<DWORD>(answer.size()), &got, nullptr) == 0) {
    got = 0;
  }
  answer.resize(got < answer.size() ? got : answer.size());
  return answer;
}

std::vector<std::uint8_t> ask_property(HANDLE device, STORAGE_PROPERTY_ID property) {
  STORAGE_PROPERTY_QUERY query{};
  query.PropertyId = property;
  query.QueryType = PropertyStandardQuery;
  return ask(device, IOCTL_STORAGE_QUERY_PROPERTY, &query, sizeof query);
}

// The first takes the right to read; the second is of disks only, and a file that stands for a volume has its own.
std::uint64_t device_size(HANDLE device) {
  const auto length = begin_of<GET_LENGTH_INFORMATION>(ask(device, IOCTL_DISK_GET_LENGTH_INFO)).Length.QuadPart;
  if (length > 0) return static_cast<std::uint64_t>(length);
  // Its last member has a length of its own.
  const std::vector<std::uint8_t> told = ask(device, IOCTL_DISK_GET_DRIVE_GEOMETRY_EX);
  constexpr std::size_t kSizeAt = offsetof(DISK_GEOMETRY_EX, DiskSize);
  LARGE_INTEGER size{};
  if (told.size() >= kSizeAt + sizeof size) std::memcpy(&size, told.data() + kSizeAt, sizeof size);
  if (size.QuadPart > 0) return static_cast<std::uint64_t>(size.QuadPart);
  return GetFileSizeEx(device, &size) != 0 ? static_cast<std::uint64_t>(size.QuadPart) : 0;
}

}  // namespace diskproof
