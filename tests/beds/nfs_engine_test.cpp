// The nfs engine against a real server: the whole engine contract, and what it says when something is wrong.
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <vector>

#include "beds/nfs_case.hpp"
#include "integration/bench.hpp"

namespace diskproof::testing {
namespace {

Finished verify(const Bench& bench, const std::string& url, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"engines", "--verify", "nfs", "--target", url, "--scratch", bench.folder().path()});
  return bench.diskproof(more, std::chrono::seconds(240));
}

}  // namespace

TEST_CASE("nfs engine: keeps every rule of the contract over NFSv3 and leaves nothing on the server") {
  const NfsServer server;
  if (skipped(server)) return;
  for (const std::string share : {"mem", "disk"}) {
    CAPTURE(share);
    const Bench bench;
    const Finished finished = verify(bench, NfsServer::url(share));
    INFO(finished.out, finished.err);
    CHECK(finished.code == 0);
    CHECK(has(finished.out, "data.batch            pass"));
    CHECK(has(finished.out, "names.life            pass"));
    CHECK(!has(finished.out, "cannot run"));
  }
  CHECK(std::filesystem::is_empty(server.folder("disk")));
}

TEST_CASE("nfs engine: several connections of a queue do not mix its data") {
  const NfsServer server;
  if (skipped(server)) return;
  const Bench bench;
  const Finished finished =
      verify(bench, NfsServer::url("mem"), {"--set", "connections=4", "--rule", "data.batch", "--rule", "submit.once"});
  INFO(finished.out, finished.err);
  CHECK(finished.code == 0);
}

TEST_CASE("nfs engine: what cannot be reached is named in one line") {
  const NfsServer server;
  if (skipped(server)) return;
  struct Row {
    const char* name;
    std::string url, words;
  };
  const Row rows[] = {
      {"wrong export", NfsServer::url("nowhere"), "mounting /nowhere over NFSv3 of 127.0.0.1: "},
      {"unknown host", "nfs://nowhere.invalid/mem", "nowhere.invalid"},
      {"nobody listens", "nfs://127.0.0.1/mem?nfsport=9&mountport=9", "over NFSv3 of 127.0.0.1: "},
      {"may not write", NfsServer::url("fixed"), "(eacces, system code "},
      {"unknown argument", NfsServer::url("mem", "&verison=4"), "has the argument 'verison'"},
      {"a password", "nfs://me:secret@127.0.0.1/mem", "the URL holds a password"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const Bench bench;
    const Finished finished = verify(bench, row.url, {"--rule", "submit.once"});
    INFO(finished.out, finished.err);
    CHECK(finished.code != 0);
    CHECK(has(finished.out + finished.err, row.words));
    CHECK(!has(finished.out + finished.err, "secret"));
  }
}

}  // namespace diskproof::testing
