// Who else has a regular file: what is written to it would go into a disk, or into memory, of theirs.
#pragma once

#include <string>
#include <vector>

#include "target/files.hpp"

namespace diskproof {

struct FileUse {
  std::string path;       // as the system tells it
  FileIdentity identity;  // inode 0: not known, then the path decides
  std::string loop;       // "/dev/loop3"; empty: no loop device
  std::string what;       // "attached as /dev/loop3"
  std::string advice;     // how to end that
};

// Images of loop devices, whoever attached them, and swap files. One that does not answer is known by its path.
std::vector<FileUse> read_file_uses();

// Of the file at the path, which has no links; null: none.
const FileUse* find_use(const std::vector<FileUse>& uses, const std::string& path, const FileIdentity& identity);

}  // namespace diskproof
