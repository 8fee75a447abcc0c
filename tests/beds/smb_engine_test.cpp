// The smb engine against a real server: the whole engine contract, and what it says when something is wrong.
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "beds/smb_case.hpp"
#include "integration/bench.hpp"

namespace diskproof::testing {
namespace {

Finished verify(const Bench& bench, const std::string& url, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"engines", "--verify", "smb", "--target", url, "--scratch", bench.folder().path()});
  return bench.diskproof(more, std::chrono::seconds(500));
}

std::string password_env() { return std::string("password_env=") + SmbServer::kPasswordVariable; }

}  // namespace

TEST_CASE("smb engine: keeps every rule of the contract and leaves nothing on the server") {
  const SmbServer server;
  if (skipped(server)) return;
  const Bench bench;
  const Finished finished = verify(bench, SmbServer::url("disk"), {"--set", password_env()});
  INFO(finished.out, finished.err);
  CHECK(finished.code == 0);
  CHECK(has(finished.out, "data.batch            pass"));
  CHECK(has(finished.out, "names.life            pass"));
  CHECK(!has(finished.out, "cannot run"));
  CHECK(std::filesystem::is_empty(server.folder("disk")));
}

TEST_CASE("smb engine: user, password and domain may stand in a file") {
  const SmbServer server;
  if (skipped(server)) return;
  const Bench bench;
  std::ofstream(bench.path("login")) << "# of the bed\nusername=root\npassword=" << SmbServer::kPassword << '\n';
  const Finished finished = verify(bench, SmbServer::url("disk", ""),
                                   {"--set", "credentials_file=" + bench.path("login"), "--rule", "submit.once"});
  INFO(finished.out, finished.err);
  CHECK(finished.code == 0);
}

TEST_CASE("smb engine: what cannot be reached is named in one line, and no password with it") {
  const SmbServer server;
  if (skipped(server)) return;
  ::setenv("DISKPROOF_BED_WRONG", "mistaken", 1);
  const Bench bench;
  std::ofstream(bench.path("odd")) << "username=root\npassphrase=secret\n";
  struct Row {
    const char* name;
    std::string url, option, words;
  };
  const Row rows[] = {
      {"wrong password", SmbServer::url("disk"), "password_env=DISKPROOF_BED_WRONG",
       "connecting to //127.0.0.1/disk as root: the server refuses the name or the password"},
      {"no password", SmbServer::url("disk"), "timeout=10s", "no password is given for root on 127.0.0.1"},
      {"variable not set", SmbServer::url("disk"), "password_env=NOT_THERE",
       "password_env: the environment variable NOT_THERE is not set"},
      {"wrong share", SmbServer::url("nowhere"), password_env(),
       "connecting to //127.0.0.1/nowhere as root: the server has no share of that name"},
      {"share of others", SmbServer::url("barred"), password_env(), "as root: this user may not use the share"},
      {"unknown host", "smb://root@nowhere.invalid/disk", password_env(), "connecting to //nowhere.invalid/disk"},
      {"nobody listens", "smb://root@127.0.0.1:9/disk", password_env(), "as root: Connection refused"},
      {"may not write", SmbServer::url("fixed"), password_env(), "(eacces, system code 13)"},
      {"no such folder", SmbServer::url("disk/sub"), password_env(), "looking at //127.0.0.1/disk/sub: No such file"},
      {"a password in the URL", "smb://root:secret@127.0.0.1/disk", password_env(), "the URL holds a password"},
      {"unknown line in the file", SmbServer::url("disk"), "credentials_file=" + bench.path("odd"),
       "line 2: expected username=, password= or domain="},
      {"no such file", SmbServer::url("disk"), "credentials_file=/nowhere/login", "No such file"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const Finished finished = verify(bench, row.url, {"--set", row.option, "--rule", "submit.once"});
    INFO(finished.out, finished.err);
    CHECK(finished.code != 0);
    CHECK(has(finished.out + finished.err, row.words));
    CHECK(!has(finished.out + finished.err, "secret"));
    CHECK(!has(finished.out + finished.err, "mistaken"));
  }
}

}  // namespace diskproof::testing
