#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include "beds/private_network.hpp"
#include "beds/smb_server.hpp"

namespace diskproof::testing {
namespace {

namespace fs = std::filesystem;

constexpr int kPort = 14450;

std::string why_not() {
  if (::geteuid() != 0) return "only root can make a network of its own";
  for (const char* program : {"smbd", "smbpasswd"}) {
    if (!is_installed(program)) return fmt::format("{} is not installed (samba)", program);
  }
  return enter_private_network();
}

}  // namespace

SmbServer::SmbServer() : fault_(why_not()) {
  if (!fault_.empty()) return;
  ::setenv(kPasswordVariable, kPassword, 1);
  ::chmod(folder_.path().c_str(), 0755);  // smbd looks at its folders as the user
  mount_memory(folder("disk"), "size=512m");
  mount_memory(folder("full"), "size=8m");
  write_settings();
  if (!set_password()) {
    fault_ = "smbpasswd does not work here";
    return;
  }
  server_ = start({"smbd", "-F", "--no-process-group", "-s", folder_.path("settings")});
  if (!wait_for_port(kPort, *server_)) fault_ = "smbd does not start here";
}

SmbServer::~SmbServer() {
  if (server_) signal(SIGKILL);
  server_.reset();
  for (const char* name : {"disk", "full"}) unmount(folder(name));
}

std::string SmbServer::url(const std::string& name, const std::string& user) {
  return fmt::format("smb://{}{}127.0.0.1:{}/{}", user, user.empty() ? "" : "@", kPort, name);
}

void SmbServer::signal(int number) const {
  const std::vector<int> children = children_of(server_->pid());
  server_->signal(number);
  for (const int child : children) ::kill(child, number);
}

void SmbServer::write_settings() const {
  std::ofstream file(folder_.path("settings"));
  file << fmt::format(
      "[global]\nsmb ports = {}\ninterfaces = lo\nbind interfaces only = yes\nserver role = standalone server\n"
      "disable netbios = yes\nload printers = no\ndisable spoolss = yes\nlog file = {}\n",
      kPort, folder_.path("log"));
  for (const char* name :
       {"private dir", "state directory", "cache directory", "lock directory", "pid directory", "ncalrpc dir"}) {
    std::string path = folder_.path(name);
    path.erase(path.find(' ', path.rfind('/')), std::string::npos);
    fs::create_directories(path);
    file << fmt::format("{} = {}\n", name, path);
  }
  const auto add = [&](const char* name, const std::string& path, const char* more) {
    file << fmt::format("[{}]\npath = {}\n{}\n", name, path, more);
  };
  add("disk", folder("disk"), "read only = no");
  add("full", folder("full"), "read only = no");
  add("fixed", folder("disk"), "read only = yes");
  add("barred", folder("disk"), "read only = no\nvalid users = nobody");
}

bool SmbServer::set_password() const {
  const auto program =
      start({"sh", "-c",
             fmt::format("(echo {0}; echo {0}) | smbpasswd -c '{1}' -s -a root", kPassword, folder_.path("settings"))});
  return program->wait(std::chrono::seconds(20)) == 0;
}

std::unique_ptr<Program> SmbServer::start(std::vector<std::string> arguments) const {
  const std::string name = arguments.front();
  return std::make_unique<Program>(
      Launch{std::move(arguments), {}, folder_.path(), folder_.path(name + ".out"), folder_.path(name + ".err")});
}

}  // namespace diskproof::testing
