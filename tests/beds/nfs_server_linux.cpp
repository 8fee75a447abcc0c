#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "beds/nfs_server.hpp"

namespace diskproof::testing {
namespace {

namespace fs = std::filesystem;

constexpr int kNfsPort = 12049, kMountPort = 12050, kPortmapper = 111;
constexpr std::chrono::seconds kStart{20};

bool is_installed(const std::string& program) {
  for (const char* folder : {"/usr/bin/", "/usr/sbin/", "/sbin/"}) {
    if (::access((folder + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

bool has_module(const std::string& name) {
  for (const char* folder : {"/usr/lib/ganesha/", "/usr/lib64/ganesha/", "/usr/lib/x86_64-linux-gnu/ganesha/",
                             "/usr/lib/aarch64-linux-gnu/ganesha/"}) {
    if (fs::exists(folder + name)) return true;
  }
  return false;
}

bool raise_loopback() {
  const int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  const bool read = ::ioctl(socket, SIOCGIFFLAGS, &request) == 0;
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
  const bool raised = read && ::ioctl(socket, SIOCSIFFLAGS, &request) == 0;
  ::close(socket);
  return raised;
}

// The portmapper's and the server's own files stay in here too.
std::string enter_private_network() {
  static const std::string fault = [] {
    const auto failed = [](const char* tried) { return fmt::format("{}: {}", tried, std::strerror(errno)); };
    if (::unshare(CLONE_NEWNET | CLONE_NEWNS) != 0) return failed("unshare");
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return failed("making mounts private");
    if (!raise_loopback()) return failed("raising the loopback interface");
    for (const char* folder : {"/run", "/var/lib/nfs"}) {
      if (::mount("tmpfs", folder, "tmpfs", 0, nullptr) != 0) return failed("mounting tmpfs");
    }
    fs::create_directories("/run/rpcbind");
    fs::create_directories("/var/lib/nfs/ganesha");
    return std::string();
  }();
  return fault;
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

bool answers(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool connected = ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(socket);
  return connected;
}

void mount_memory(const std::string& folder, const char* options) {
  fs::create_directories(folder);
  ::mount("tmpfs", folder.c_str(), "tmpfs", 0, options);
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
  for (const char* name : {"disk", "full"}) ::umount2(folder(name).c_str(), MNT_DETACH);
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

bool NfsServer::wait_for_port(int port, Program& program) const {
  const auto patience = std::chrono::steady_clock::now() + kStart;
  while (program.running() && std::chrono::steady_clock::now() < patience) {
    if (answers(port)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

}  // namespace diskproof::testing
