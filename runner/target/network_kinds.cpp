// One row per kind: its names in mount tables, its number for statfs.
#include <algorithm>
#include <array>
#include <charconv>

#include "target/network_client.hpp"

namespace diskproof {
namespace {

struct Kind {
  std::string_view name;
  std::array<std::string_view, 3> types;  // of the mount table
  std::uint64_t magic = 0;                // 0: it has none of its own
  bool user_space = false;
};

constexpr std::array<Kind, 16> kNetworkKinds{{{"nfs", {"nfs4", "nfs"}, 0x6969},
                                              {"cifs", {"cifs", "smb3", "smb2"}, 0xFF534D42},
                                              {"cifs", {"smbfs"}, 0xFE534D42},
                                              {"ceph", {"ceph"}, 0x00C36400},
                                              {"ceph", {"fuse.ceph", "fuse.ceph-fuse"}, 0, true},
                                              {"lustre", {"lustre"}, 0x0BD00BD0},
                                              {"glusterfs", {"fuse.glusterfs", "glusterfs"}, 0, true},
                                              {"9p", {"9p"}, 0x01021997},
                                              {"afs", {"afs"}, 0x5346414F},
                                              {"afs", {"kafs"}, 0x6B414653},
                                              {"gpfs", {"gpfs"}, 0x47504653},
                                              {"beegfs", {"beegfs"}, 0x19830326},
                                              {"sshfs", {"fuse.sshfs"}, 0, true},
                                              {"rclone", {"fuse.rclone"}, 0, true},
                                              {"s3fs", {"fuse.s3fs"}, 0, true},
                                              {"gcsfuse", {"fuse.gcsfuse", "fuse.gcs"}, 0, true}}};

const Kind* kind_of(const FilesystemFacts& facts) {
  const auto named = std::ranges::find_if(kNetworkKinds, [&](const Kind& kind) {
    return !facts.type.empty() && std::ranges::find(kind.types, facts.type) != kind.types.end();
  });
  if (named != kNetworkKinds.end()) return &*named;
  const auto numbered = std::ranges::find_if(
      kNetworkKinds, [&](const Kind& kind) { return kind.magic != 0 && kind.magic == facts.magic; });
  return numbered == kNetworkKinds.end() ? nullptr : &*numbered;
}

// The value of `key=` in a list with commas; empty: it is not there.
std::string_view option(std::string_view options, std::string_view key) {
  while (!options.empty()) {
    const std::size_t comma = std::min(options.find(','), options.size());
    const std::string_view word = options.substr(0, comma);
    if (word.size() > key.size() && word.starts_with(key) && word[key.size()] == '=')
      return word.substr(key.size() + 1);
    options.remove_prefix(std::min(comma + 1, options.size()));
  }
  return "";
}

std::uint64_t bytes_of(std::string_view options, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    const std::string_view text = option(options, key);
    std::uint64_t value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault == std::errc() && end == text.data() + text.size() && !text.empty()) return value;
  }
  return 0;
}

// "nas" of nas:/vol, [fd00::1]:/vol, //nas/share, user@nas:/home.
std::string server_of(std::string_view kind, std::string_view source, std::string_view options) {
  if (kind == "cifs") {
    source.remove_prefix(std::min(source.find_first_not_of("/\\"), source.size()));
    return std::string(source.substr(0, source.find_first_of("/\\")));
  }
  if (kind == "ceph" && !option(options, "mon_addr").empty()) return std::string(option(options, "mon_addr"));
  if (kind == "afs") source.remove_prefix(std::min(source.find_first_not_of("#%"), source.size()));
  if (kind == "9p" || kind == "gpfs" || kind == "beegfs" || kind == "s3fs") return "";
  if (kind == "gcsfuse") return std::string(source);
  const std::size_t path = source.find(":/");
  const std::size_t end = path == std::string_view::npos ? source.rfind(':') : path;
  if (end == std::string_view::npos) return "";
  std::string_view server = source.substr(0, end);
  if (kind == "sshfs") server.remove_prefix(server.find('@') + 1);
  return std::string(server);
}

}  // namespace

std::optional<NetworkMount> network_mount(const FilesystemFacts& facts) {
  const Kind* kind = kind_of(facts);
  if (kind == nullptr) return std::nullopt;
  std::string_view version = option(facts.options, "vers");
  if (version.empty()) version = option(facts.options, "version");
  return NetworkMount{.kind = std::string(kind->name),
                      .server = server_of(kind->name, facts.source, facts.options),
                      .version = std::string(version),
                      .read_size = bytes_of(facts.options, {"rsize", "msize", "max_read"}),
                      .write_size = bytes_of(facts.options, {"wsize", "msize"}),
                      .user_space = kind->user_space};
}

}  // namespace diskproof
