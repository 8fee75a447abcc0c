#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "beds/private_network.hpp"

namespace diskproof::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kStart{20};

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

}  // namespace

// The servers' own files stay in here too.
std::string enter_private_network() {
  static const std::string fault = [] {
    const auto failed = [](const char* tried) { return fmt::format("{}: {}", tried, std::strerror(errno)); };
    if (::unshare(CLONE_NEWNET | CLONE_NEWNS) != 0) return failed("unshare");
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return failed("making mounts private");
    if (!raise_loopback()) return failed("raising the loopback interface");
    for (const char* folder : {"/run", "/var/lib/nfs"}) {
      if (fs::exists(folder) && ::mount("tmpfs", folder, "tmpfs", 0, nullptr) != 0) return failed("mounting tmpfs");
    }
    fs::create_directories("/run/rpcbind");
    fs::create_directories("/var/lib/nfs/ganesha");
    return std::string();
  }();
  return fault;
}

bool is_installed(const std::string& program) {
  for (const char* folder : {"/usr/bin/", "/usr/sbin/", "/sbin/"}) {
    if (::access((folder + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

bool wait_for_port(int port, Program& program) {
  const auto patience = std::chrono::steady_clock::now() + kStart;
  while (program.running() && std::chrono::steady_clock::now() < patience) {
    if (answers(port)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

void mount_memory(const std::string& folder, const char* options) {
  fs::create_directories(folder);
  ::mount("tmpfs", folder.c_str(), "tmpfs", 0, options);
}

void unmount(const std::string& folder) { ::umount2(folder.c_str(), MNT_DETACH); }

}  // namespace diskproof::testing
