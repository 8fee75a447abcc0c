// Volumes and shares. A share is told apart by its path, or by that which its drive letter stands for; the redirector
// of Windows says neither its version nor its sizes.
#include "support/error.hpp"
#include "support/system_windows.hpp"
#include "target/filesystem_facts.hpp"
#include "target/network_client.hpp"

namespace diskproof {
namespace {

std::string final_path(const std::wstring& name) {
  const Handle opened(CreateFileW(name.c_str(), FILE_READ_ATTRIBUTES, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr,
                                  OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr));
  wchar_t path[1024];
  const DWORD length = opened ? GetFinalPathNameByHandleW(opened.get(), path, 1024, 0) : 0;
  return length > 0 && length < 1024 ? utf8({path, length}) : "";
}

// The root of a share is its name: not every system looks through it for a volume.
std::wstring root_of(const std::string& path) {
  const std::string share = share_of_path(path);
  if (!share.empty()) return wide(share + "\\");
  wchar_t root[MAX_PATH + 1];
  return GetVolumePathNameW(wide_path(path).c_str(), root, MAX_PATH) != 0 ? root : L"";
}

std::string share_of(const std::string& path, const std::wstring& root) {
  const std::string share = share_of_path(path);
  if (!share.empty() || GetDriveTypeW(root.c_str()) != DRIVE_REMOTE) return share;
  return share_of_path(final_path(root));
}

}  // namespace

FilesystemFacts filesystem_facts(const std::string& path) {
  const std::wstring name = wide_path(path);
  const auto fail = [&] {
    throw Error(ErrorKind::failed, "cannot look at the file system under " + path + ": " + error_text(GetLastError()));
  };
  wchar_t type[MAX_PATH + 1] = L"", label[MAX_PATH + 1] = L"";
  DWORD serial = 0, flags = 0;
  if (GetFileAttributesW(name.c_str()) == INVALID_FILE_ATTRIBUTES) fail();
  const std::wstring root = root_of(path);
  if (root.empty()) fail();
  FilesystemFacts facts;
  const std::string share = share_of(path, root);
  // A server may keep to itself what volume is behind a share.
  if (GetVolumeInformationW(root.c_str(), label, MAX_PATH, &serial, nullptr, &flags, type, MAX_PATH) == 0 &&
      share.empty())
    fail();
  ULARGE_INTEGER available, size, unused;
  if (GetDiskFreeSpaceExW(name.c_str(), &available, &size, &unused) == 0) fail();
  facts.type = share.empty() ? utf8(type) : "cifs";
  facts.mount_point = utf8(root);
  facts.source = share.empty() ? utf8(label) : share;
  facts.options = (flags & FILE_READ_ONLY_VOLUME) != 0 ? "read-only" : "";
  facts.device = serial;
  facts.size = size.QuadPart;
  facts.available = available.QuadPart;
  return facts;
}

}  // namespace diskproof
