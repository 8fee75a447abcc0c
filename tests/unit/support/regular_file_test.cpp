// What a user names is read where it is a file, and refused at once where it is something else.
#include "support/regular_file.hpp"

#include <doctest/doctest.h>

#include "support/error.hpp"
#include "support/temp_folder.hpp"

#ifndef _WIN32
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#endif

using namespace diskproof;

namespace {

std::string refusal(const std::string& path) {
  try {
    read_file(path);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::unavailable);
    CHECK(std::string(error.what()).starts_with("opening " + path + ": "));
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("regular file: it is read as a whole - however long it is") {
  const TempFolder folder;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{65536}, std::size_t{200'001}}) {
    const std::string text(size, 'x');
    CHECK(read_file(folder.write("f", text)) == text);
    CHECK(RegularFile(folder.path("f")).size() == size);
  }
}

TEST_CASE("regular file: what is none is said at once") {
  const TempFolder folder;
  CHECK(refusal(folder.path("none")) != "");
  CHECK(refusal(folder.path()) != "");
#ifndef _WIN32
  CHECK(refusal(folder.path()).find("it is a folder, not a file") != std::string::npos);
  REQUIRE(mkfifo(folder.path("fifo").c_str(), 0600) == 0);
  CHECK(refusal(folder.path("fifo")).find("it is a FIFO, not a file") != std::string::npos);
  CHECK(refusal("/dev/zero").find("it is a device, not a file") != std::string::npos);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const std::string path = folder.path("socket");
  REQUIRE(path.size() < sizeof name.sun_path);
  path.copy(name.sun_path, path.size());
  REQUIRE(::bind(socket, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0);
  CHECK(refusal(path).find("it is a socket, not a file") != std::string::npos);
  ::close(socket);
#endif
}
