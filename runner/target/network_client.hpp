// What this machine's client of a network file system says: which one it is, what it counted. The parts that read a
// text know no machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/network_totals.hpp"
#include "target/filesystem_facts.hpp"
#include "verdict/network_mount.hpp"

namespace diskproof {

// Nothing for a local file system. The mount table's type decides, where it has one that is known, else the magic
// number of statfs.
std::optional<NetworkMount> network_mount(const FilesystemFacts& facts);

// The share that a path of Windows leads to, "\\server\share"; of "\\?\UNC\server\share\file" too. Empty: none.
std::string share_of_path(std::string_view path);

// From the text of /proc/self/mountstats, of the mount at that place.
std::optional<NetworkTotals> nfs_counters(std::string_view mountstats, std::string_view mount_point);

// From the text of /proc/fs/cifs/Stats, of the share "//server/share" and what is below it.
std::optional<NetworkTotals> cifs_counters(std::string_view stats, std::string_view source);

// Of the client's own files, now. Nothing where it does not count.
std::optional<NetworkTotals> network_counters(const NetworkMount& mount, const std::string& mount_point,
                                              const std::string& source);

// Clean pages of these files leave the client's cache. What cannot be opened, or not within 10 s, is left out.
void drop_client_cache(const std::vector<std::string>& files);

}  // namespace diskproof
