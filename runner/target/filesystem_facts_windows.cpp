// Volumes.
#include "support/error.hpp"
#include "support/system_windows.hpp"
#include "target/filesystem_facts.hpp"

namespace diskproof {

FilesystemFacts filesystem_facts(const std::string& path) {
  const std::wstring name = wide_path(path);
  const auto fail = [&] {
    throw Error(ErrorKind::failed, "cannot look at the file system under " + path + ": " + error_text(GetLastError()));
  };
  wchar_t root[MAX_PATH + 1], type[MAX_PATH + 1], label[MAX_PATH + 1];
  DWORD serial = 0, flags = 0;
  if (GetFileAttributesW(name.c_str()) == INVALID_FILE_ATTRIBUTES) fail();
  if (GetVolumePathNameW(name.c_str(), root, MAX_PATH) == 0) fail();
  if (GetVolumeInformationW(root, label, MAX_PATH, &serial, nullptr, &flags, type, MAX_PATH) == 0) fail();
  ULARGE_INTEGER available, size, unused;
  if (GetDiskFreeSpaceExW(name.c_str(), &available, &size, &unused) == 0) fail();
  FilesystemFacts facts;
  facts.type = utf8(type);
  facts.mount_point = utf8(root);
  facts.source = utf8(label);
  facts.options = (flags & FILE_READ_ONLY_VOLUME) != 0 ? "read-only" : "";
  facts.device = serial;
  facts.size = size.QuadPart;
  facts.available = available.QuadPart;
  return facts;
}

}  // namespace diskproof
