// Orders down, answers up, one at a time.
#include "exec/url_child.hpp"

#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "engine/library.hpp"
#include "engine/session.hpp"
#include "exec/child_host.hpp"
#include "exec/child_process.hpp"
#include "exec/messages.hpp"
#include "exec/url_folder.hpp"
#include "support/clock.hpp"
#include "support/error.hpp"

namespace diskproof {
namespace {

using Json = nlohmann::ordered_json;
using Kind = UrlOrder::Kind;
using std::chrono::milliseconds;

constexpr milliseconds kSend{5000}, kEnd{2000};
constexpr std::uint64_t kPatience = 180'000'000'000;  // ns for one answer: several requests, each with its own limit

constexpr std::array<std::pair<Kind, const char*>, 7> kKinds{{{Kind::look_at, "look_at"},
                                                              {Kind::make_folder, "make_folder"},
                                                              {Kind::make_file, "make_file"},
                                                              {Kind::remove_file, "remove_file"},
                                                              {Kind::remove_folder, "remove_folder"},
                                                              {Kind::write, "write"},
                                                              {Kind::read, "read"}}};

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string place_text(const UrlPlace& place) {
  return dump({{"library", place.library}, {"options", place.options}, {"url", place.url}});
}

UrlPlace parse_place(const Json& json) {
  return {json.at("library").get<std::string>(), json.at("options").get<std::map<std::string, std::string>>(),
          json.at("url").get<std::string>()};
}

std::string order_text(const UrlOrder& order) {
  const char* name = "";
  for (const auto& [kind, text] : kKinds) {
    if (kind == order.kind) name = text;
  }
  return dump({{"order", name}, {"path", order.path}, {"size", order.size}, {"text", order.text}});
}

UrlOrder parse_order(const Json& json) {
  const auto name = json.at("order").get<std::string>();
  for (const auto& [kind, text] : kKinds) {
    if (name == text)
      return {kind, json.at("path").get<std::string>(), json.at("size").get<std::uint64_t>(),
              json.at("text").get<std::string>()};
  }
  throw Error(ErrorKind::failed, "unknown order " + name);
}

std::string answer_text(const UrlAnswer& answer) {
  return dump({{"yes", answer.yes},
               {"folder", answer.folder},
               {"size", answer.size},
               {"id", answer.id},
               {"text", answer.text}});
}

UrlAnswer parse_answer(const Json& json) {
  return {json.at("yes").get<bool>(), json.at("folder").get<bool>(), json.at("size").get<std::uint64_t>(),
          json.at("id").get<std::uint64_t>(), json.at("text").get<std::string>()};
}

// The parent's end.
class ChildSession : public UrlSession {
 public:
  ChildSession(const std::string& executable, const UrlPlace& place) : url_(place.url), child_(executable) {
    say(FrameType::place, place_text(place));
    await(FrameType::ready);
  }
  ~ChildSession() override {
    child_.close_control();
    child_.wait(kEnd);
  }
  ChildSession(const ChildSession&) = delete;
  ChildSession& operator=(const ChildSession&) = delete;

  UrlAnswer ask(const UrlOrder& order) override {
    say(FrameType::order, order_text(order));
    return parse_answer(Json::parse(await(FrameType::answer)));
  }

 private:
  void say(FrameType type, const std::string& text) {
    if (!child_.send(type, text, kSend)) throw Error(ErrorKind::failed, url_ + ": the engine's process takes no order");
  }

  std::string await(FrameType wanted) {
    const std::uint64_t end = monotonic_ns() + kPatience;
    while (monotonic_ns() < end) {
      const ChildProcess::Received received = child_.receive(kChildPoll);
      if (received.what == ChildProcess::Received::What::nothing_yet) continue;
      if (received.what == ChildProcess::Received::What::closed) {
        const auto exit = child_.wait(kEnd);
        throw Error(ErrorKind::failed, fmt::format("{}: the engine's process {}", url_,
                                                   exit ? exit->text() : std::string("closed its pipe")));
      }
      if (received.frame.type == wanted) return received.frame.payload;
      if (received.frame.type == FrameType::error) throw parse_error(received.frame.payload);
    }
    child_.kill();
    throw Error(ErrorKind::failed, fmt::format("{}: no answer within {} s, given up", url_, kPatience / 1'000'000'000));
  }

  std::string url_;
  ChildProcess child_;
};

UrlAnswer look_at(UrlFolder& folder, const std::string& path) {
  const UrlFolder::Status status = folder.look_at(path);
  return {.yes = status.exists, .folder = status.folder, .size = status.size, .id = status.id};
}

UrlAnswer read(UrlFolder& folder, const UrlOrder& order) {
  UrlAnswer answer = look_at(folder, order.path);
  answer.yes = answer.yes && !answer.folder && answer.size <= order.size;
  if (answer.yes) answer.text = folder.read(order.path, answer.size);
  return answer;
}

UrlAnswer carry_out(UrlFolder& folder, const UrlOrder& order) {
  switch (order.kind) {
    case Kind::look_at:
      return look_at(folder, order.path);
    case Kind::make_folder:
      return folder.make_folder(order.path) ? look_at(folder, order.path) : UrlAnswer{};
    case Kind::make_file:
      if (!folder.make_file(order.path)) return {};
      if (order.size > 0) folder.set_size(order.path, order.size);
      return look_at(folder, order.path);
    case Kind::remove_file:
      folder.remove_file(order.path);
      return {.yes = true};
    case Kind::remove_folder:
      return {.yes = folder.remove_folder(order.path)};
    case Kind::write:
      folder.set_size(order.path, 0);
      folder.write(order.path, order.text);
      return {.yes = true};
    case Kind::read:
      return read(folder, order);
  }
  return {};
}

}  // namespace

std::unique_ptr<UrlSession> open_url_session(const std::string& executable, const UrlPlace& place) {
  return std::make_unique<ChildSession>(executable, place);
}

void serve_url_session(ChildChannel& channel, const std::string& place_text) {
  static const ChildHost host("", TickClock{});  // engines may keep it until the process ends
  const UrlPlace place = parse_place(Json::parse(place_text));
  const Library library = Library::load(place.library, host.table());
  Engine engine(library, place.options);
  UrlFolder folder(engine, place.url);
  channel.write(FrameType::ready, "{}");
  while (const auto frame = channel.read()) {
    if (frame->type != FrameType::order) throw Error(ErrorKind::failed, "expected an order");
    try {
      channel.write(FrameType::answer, answer_text(carry_out(folder, parse_order(Json::parse(frame->payload)))));
    } catch (const Error& error) {
      channel.write(FrameType::error, error_text(error));
    }
  }
}

}  // namespace diskproof
