// The rule; where uses are found is the platform's.
#include "target/file_use.hpp"

#include <algorithm>

namespace diskproof {

const FileUse* find_use(const std::vector<FileUse>& uses, const std::string& path, const FileIdentity& identity) {
  const auto found = std::ranges::find_if(
      uses, [&](const FileUse& use) { return use.identity.inode == 0 ? use.path == path : use.identity == identity; });
  return found == uses.end() ? nullptr : &*found;
}

}  // namespace diskproof
