// Disks that are URLs, on a server that is a map: what is made, kept, refused and taken back.
#include "target/url_disk.hpp"

#include <doctest/doctest.h>
#include <map>
#include <string>

#include "disk_samples.hpp"
#include "support/error.hpp"
#include "target/cleanup.hpp"
#include "target/folder_owner.hpp"
#include "target/prepare.hpp"

namespace diskproof {
namespace {

constexpr const char* kUrl = "nfs://server/export?version=3";

struct Entry {
  bool folder = false;
  std::uint64_t size = 0, id = 0;
  std::string text{};
};

struct Server {
  std::map<std::string, Entry> entries{{"", {.folder = true, .id = 1}}};
  std::uint64_t next = 2;
  bool down = false;

  UrlOpener opener();
  [[nodiscard]] std::string names() const {
    std::string all;
    for (const auto& [name, entry] : entries) all += name.empty() ? "" : (all.empty() ? "" : " ") + name;
    return all;
  }
};

class FakeSession : public UrlSession {
 public:
  explicit FakeSession(Server& server) : server_(server) {}

  UrlAnswer ask(const UrlOrder& order) override {
    using Kind = UrlOrder::Kind;
    if (server_.down) throw Error(ErrorKind::failed, "the server is down");
    const auto found = server_.entries.find(order.path);
    const bool there = found != server_.entries.end();
    switch (order.kind) {
      case Kind::look_at:
        if (!there) return {};
        return {.yes = true, .folder = found->second.folder, .size = found->second.size, .id = found->second.id};
      case Kind::make_folder:
      case Kind::make_file:
        if (there) return {};
        server_.entries[order.path] = {order.kind == Kind::make_folder, order.size, server_.next};
        return {.yes = true, .id = server_.next++};
      case Kind::remove_file:
        return {.yes = server_.entries.erase(order.path) == 1};
      case Kind::remove_folder: {
        const auto inside = server_.entries.lower_bound(order.path + "/");
        if (inside != server_.entries.end() && inside->first.starts_with(order.path + "/")) return {};
        return {.yes = server_.entries.erase(order.path) == 1};
      }
      case Kind::write:
        found->second.text = order.text;
        found->second.size = order.text.size();
        return {.yes = true};
      case Kind::read:
        if (!there) return {};
        return {.yes = true, .size = found->second.size, .text = found->second.text};
    }
    return {};
  }

 private:
  Server& server_;
};

UrlOpener Server::opener() {
  return [this](const UrlPlace& place) -> std::unique_ptr<UrlSession> {
    CHECK(place.library == "/engines/nfs.so");
    CHECK(place.options.at("timeout") == "5");
    CHECK(place.url == kUrl);
    if (down) throw Error(ErrorKind::failed, "the server is down");
    return std::make_unique<FakeSession>(*this);
  };
}

Plan url_plan(const std::string& work, bool keep = false) {
  DiskPlan disk;
  disk.name = "nas";
  disk.kind = DiskKind::url;
  disk.path = kUrl;
  disk.work_path = work;
  disk.keep = keep;
  disk.file_size = 8192;
  disk.files = work.empty()
                   ? std::vector<std::string>{kUrl}
                   : std::vector<std::string>{kUrl + ("#" + work) + "/t0.dat", kUrl + ("#" + work) + "/t1.dat"};
  Plan plan = plan_with(disk);
  plan.job_name = "job";
  PhasePlan phase;
  phase.name = "load";
  phase.disk = "nas";
  phase.engine.path = "/engines/nfs.so";
  phase.engine.options = {{"timeout", "5"}};
  plan.phases = {phase};
  return plan;
}

std::string refusal(const Plan& plan, Server& server) {
  const TempFolder state;
  Preparation preparation(plan, state.path(), sample_header(), {.open_url = server.opener()});
  try {
    preparation.prepare(roomy_filesystem);
    return "";
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::refused);
    return error.what();
  }
}

TEST_CASE("url disk: folders, lock and files are made below the URL and removed, others stay") {
  Server server;
  server.entries["sub"] = {.folder = true, .id = 77};
  const TempFolder state;
  const Plan plan = url_plan("sub/deep/diskproof-run-1");
  Preparation preparation(plan, state.path(), sample_header(), {.open_url = server.opener()});
  preparation.prepare(roomy_filesystem);
  const std::string work = "sub/deep/diskproof-run-1";
  CHECK(server.names() == "sub sub/deep " + work + " " + work + "/lock " + work + "/t0.dat " + work + "/t1.dat");
  CHECK(server.entries.at(work + "/t0.dat").size == 8192);
  CHECK_FALSE(preparation.laid_out("nas"));
  preparation.undo({});
  CHECK(server.names() == "sub");
  CHECK(has_no_run(state.path()));
}

TEST_CASE("url disk: a kept folder stays with its owner and markers, and its layout is used again") {
  Server server;
  const Plan plan = url_plan("diskproof-job-nas", true);
  for (const bool second : {false, true}) {
    CAPTURE(second);
    const TempFolder state;
    Preparation preparation(plan, state.path(), sample_header(), {.open_url = server.opener()});
    preparation.prepare(roomy_filesystem);
    CHECK(preparation.laid_out("nas") == second);
    preparation.record_layout("nas", 5);
    CHECK(preparation.laid_out("nas"));
    preparation.undo({});
    const std::string work = "diskproof-job-nas";
    CHECK(server.names() == work + " " + work + "/owner " + work + "/t0.dat " + work + "/t0.dat.diskproof " + work +
                                "/t1.dat " + work + "/t1.dat.diskproof");
  }
}

TEST_CASE("url disk: a file that took the place of a kept one, or a torn marker, vouches for nothing") {
  Server server;
  const Plan plan = url_plan("diskproof-job-nas", true);
  const auto run = [&](bool expected) {
    const TempFolder state;
    Preparation preparation(plan, state.path(), sample_header(), {.open_url = server.opener()});
    preparation.prepare(roomy_filesystem);
    CHECK(preparation.laid_out("nas") == expected);
    preparation.record_layout("nas", 5);
    preparation.undo({});
  };
  run(false);
  run(true);
  server.entries.at("diskproof-job-nas/t0.dat").id = 999;
  run(false);
  server.entries.at("diskproof-job-nas/t1.dat.diskproof").text = "{\"diskproof_mar";
  run(false);
}

TEST_CASE("url disk: what is not the run's own is refused") {
  struct Row {
    const char* name;
    Plan plan;
    std::map<std::string, Entry> there;
    const char* words;
  };
  const std::string work = "diskproof-job-nas";
  const Row rows[] = {
      {"no folder", url_plan("w"), {}, "create the folder first"},
      {"a file for a folder", url_plan("w"), {{"", {.id = 1}}}, "was a folder when the run was planned"},
      {"a foreign file", url_plan(""), {{"", {.id = 1}}}, "is a file that diskproof did not make"},
      {"the run's folder is there",
       url_plan("w"),
       {{"", {.folder = true, .id = 1}}, {"w", {.folder = true, .id = 2}}},
       "exists already"},
      {"a kept folder without owner",
       url_plan(work, true),
       {{"", {.folder = true, .id = 1}}, {work, {.folder = true, .id = 2}}},
       "was not made by diskproof"},
      {"a kept folder of another job",
       url_plan(work, true),
       {{"", {.folder = true, .id = 1}},
        {work, {.folder = true, .id = 2}},
        {work + "/owner", {.id = 3, .text = owner_text("other", "nas")}}},
       "is kept by another disk or job"},
      {"a kept folder in use",
       url_plan(work, true),
       {{"", {.folder = true, .id = 1}},
        {work, {.folder = true, .id = 2}},
        {work + "/lock", {.id = 4}},
        {work + "/owner", {.id = 3, .text = owner_text("job", "nas")}}},
       "is in use by another run"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    Server server;
    server.entries = row.there;
    const std::string before = server.names();
    CHECK(refusal(row.plan, server).find(row.words) != std::string::npos);
    CHECK(server.names() == before);
  }
}

TEST_CASE("url disk: cleanup waits for the server and leaves alone what is not the run's") {
  Server server;
  const TempFolder state;
  JournalHeader header = sample_header();
  header.process.start_time += 1;  // nobody of that pid and start time runs
  Preparation(url_plan("w"), state.path(), header, {.open_url = server.opener()})
      .prepare(roomy_filesystem);  // ends without undo
  const auto runs = find_abandoned_runs(state.path());
  REQUIRE(runs.size() == 1);
  server.down = true;
  for (const StepReport& step : clean_up(runs[0], server.opener())) CHECK(step.reason == "the server is down");
  server.down = false;
  server.entries.at("w/t0.dat").id = 999;
  int left = 0;
  for (const StepReport& step : clean_up(runs[0], server.opener())) left += step.outcome == Outcome::pass ? 0 : 1;
  CHECK(left == 2);  // the file, and the folder that it is in
  CHECK(server.names() == "w w/t0.dat");
}

}  // namespace
}  // namespace diskproof
