// The file's owner beside those of this process's token.
#include "target/file_owner_windows.hpp"

#include <vector>
// after windows.h
#include <aclapi.h>

namespace diskproof {
namespace {

std::vector<char> token_information(HANDLE token, TOKEN_INFORMATION_CLASS what) {
  DWORD size = 0;
  GetTokenInformation(token, what, nullptr, 0, &size);
  std::vector<char> bytes(size);
  if (GetTokenInformation(token, what, bytes.data(), size, &size) == 0) bytes.clear();
  return bytes;
}

}  // namespace

bool is_owned_by_this_user(HANDLE file) {
  PSID owner = nullptr;
  PSECURITY_DESCRIPTOR descriptor = nullptr;
  if (GetSecurityInfo(file, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION, &owner, nullptr, nullptr, nullptr,
                      &descriptor) != ERROR_SUCCESS) {
    return false;
  }
  bool ours = false;
  HANDLE token = nullptr;
  if (OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token) != 0) {
    const Handle closer(token);
    const std::vector<char> user = token_information(token, TokenUser);
    const std::vector<char> makes = token_information(token, TokenOwner);
    ours = (!user.empty() && EqualSid(owner, reinterpret_cast<const TOKEN_USER*>(user.data())->User.Sid) != 0) ||
           (!makes.empty() && EqualSid(owner, reinterpret_cast<const TOKEN_OWNER*>(makes.data())->Owner) != 0);
  }
  LocalFree(descriptor);
  return ours;
}

}  // namespace diskproof
