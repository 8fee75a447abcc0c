#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

#include "beds/nfs_server.hpp"
#include "beds/private_network.hpp"

namespace diskproof::testing {
namespace {

namespace fs = std::filesystem;

constexpr int kNfsPort = 12049, kMountPort = 12050, kPortmapper = 111;

bool has_module(const std::string& name) {
  for (const char* folder : {"/usr/lib/ganesha/", "/usr/lib64/ganesha/", "/usr/lib/x86_64-linux-gnu/ganesha/",
                             "/usr/lib/aarch64-linux-gnu/ganesha/"}) {
    if (fs::exists(folder + name)) return true;
  }
  return false;
}

std::string why_not() {
  if (::geteuid() != 0) return "only root can make a network of its own";
  if (!is_installed("ganesha.nfsd")) return "ganesha.nfsd is not installed (nfs-ganesha)";
  if (!is_installed("rpcbind")) return "rpcbind is not installed";
  for (const char* module : {"libfsalmem.so", "libfsalvfs.so"}) {
    if (!has_module(module)) return fmt::format("{} is not installed (nfs-ganesha-mem, nfs-ganesha-vfs)", module);
  }
  return enter_private_network();
}

}  // namespace

NfsServer::NfsServer() : fault_(why_not()) {
  if (!fault_.empty()) return;
  mount_memory(folder("disk"), "size=512m");
  mount_memory(folder("full"), "size=8m");
  write_settings();
  const auto start = [&](std::vector<std::string> arguments) {
    const std::string name = arguments.front();
    return std::make_unique<Program>(
        Launch{std::move(arguments), {}, folder_.path(), folder_.path(name + ".out"), folder_.path(name + ".err")});
  };
  portmapper_ = start({"rpcbind", "-f", "-w"});
  if (!wait_for_port(kPortmapper, *portmapper_)) {
    fault_ = "rpcbind does not start here";
    return;
  }
  server_ = start({"ganesha.nfsd", "-F", "-f", folder_.path("settings"), "-L", folder_.path("log"), "-p",
                   folder_.path("pid"), "-N", "NIV_EVENT"});
  if (!wait_for_port(kNfsPort, *server_)) fault_ = "ganesha.nfsd does not start here";
}

NfsServer::~NfsServer() {
  for (const auto& program : {std::ref(server_), std::ref(portmapper_)}) program.get().reset();
  for (const char* name : {"disk", "full"}) unmount(folder(name));
}

std::string NfsServer::url(const std::string& name, const std::string& more, int version) {
  return fmt::format("nfs://127.0.0.1/{}?version={}&nfsport={}{}{}", name, version, kNfsPort,
                     version == 3 ? fmt::format("&mountport={}", kMountPort) : "", more);
}

void NfsServer::write_settings() const {
  std::ofstream file(folder_.path("settings"));
  file << fmt::format(
      "NFS_CORE_PARAM {{ Protocols = 3, 4; NFS_Port = {}; MNT_Port = {}; Enable_NLM = false; Enable_RQUOTA = false; "
      "mount_path_pseudo = true; }}\n"
      "NFSv4 {{ Graceless = true; RecoveryBackend = fs; }}\n"
      // What it keeps of a file, the rest is read as the letter a; and threads, without which no request is delayed.
      "MEM {{ Inode_Size = 0x200000; Async_Threads = 64; }}\n"
      "EXPORT_DEFAULTS {{ Access_Type = RW; Squash = No_Root_Squash; SecType = sys; Protocols = 3, 4; "
      "Transports = TCP; }}\n",
      kNfsPort, kMountPort);
  const auto add = [&](int id, const char* name, const std::string& path, const std::string& more) {
    file << fmt::format("EXPORT {{ Export_Id = {}; Path = {}; Pseudo = /{}; {} }}\n", id, path, name, more);
  };
  add(2, "mem", "/mem", "FSAL { Name = MEM; Async_Type = Inline; }");
  add(3, "slow", "/slow", "FSAL { Name = MEM; Async_Type = Fixed; Async_Delay = 1000; }");
  add(4, "disk", folder("disk"), "FSAL { Name = VFS; }");
  add(5, "full", folder("full"), "FSAL { Name = VFS; }");
  add(6, "fixed", "/fixed", "Access_Type = RO; FSAL { Name = MEM; Async_Type = Inline; }");
}

}  // namespace diskproof::testing
