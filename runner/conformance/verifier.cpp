// Order out, verdict in, and a name for what happened when none comes.
#include "conformance/verifier.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "conformance/conformance_child.hpp"
#include "conformance/order.hpp"
#include "exec/child_process.hpp"
#include "exec/messages.hpp"
#include "support/clock.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"

namespace diskproof {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds kPoll{100};
constexpr milliseconds kEnd{5000};  // from the verdict to the child's end, and for a killed one

class RuleWatch {
 public:
  RuleWatch(const VerifySettings& settings, const std::atomic<bool>& stop, const RuleOrder& order)
      : settings_(settings), stop_(stop), child_(settings.executable, kRuleChildRole), begin_(monotonic_ns()) {
    child_.send(FrameType::rule, order_text(order), kEnd);
  }

  RuleVerdict run() {
    RuleVerdict verdict;
    try {
      verdict = await();
    } catch (const Error& nonsense) {
      verdict = {RuleOutcome::violation, fmt::format("its process spoke nonsense {}: {}", where(), nonsense.what())};
    }
    child_.kill();
    child_.wait(kEnd);
    return verdict;
  }

  [[nodiscard]] std::string log() const { return child_.log_tail(); }

 private:
  RuleVerdict await() {
    for (;;) {
      ChildProcess::Received received = child_.receive(kPoll);
      if (received.what == ChildProcess::Received::What::closed) return ended();
      if (received.what == ChildProcess::Received::What::frame) {
        const Frame& frame = received.frame;
        if (frame.type == FrameType::call) call_ = parse_call(frame.payload);
        if (frame.type == FrameType::error) throw parse_error(frame.payload);
        if (frame.type == FrameType::verdict) return parse_verdict(frame.payload);
        if (frame.type == FrameType::hello && parse_hello(frame.payload) != build_id())
          return {RuleOutcome::cannot_run, "the program was replaced while it ran: start it again"};
      }
      if (stop_.load()) return {RuleOutcome::not_run, "interrupted"};
      if (monotonic_ns() - begin_ > settings_.limit)
        return {RuleOutcome::violation, fmt::format("hangs {}: no end after {:.0f} s, killed", where(),
                                                    static_cast<double>(settings_.limit) / 1e9)};
    }
  }

  RuleVerdict ended() {
    const auto exit = child_.wait(kEnd);
    return {RuleOutcome::violation, exit ? fmt::format("its process {} {}", exit->text(), where())
                                         : fmt::format("its process closed its pipe {}", where())};
  }

  [[nodiscard]] std::string where() const {
    return call_.empty() ? "while it was started" : fmt::format("in or after {}", call_);
  }

  const VerifySettings& settings_;
  const std::atomic<bool>& stop_;
  ChildProcess child_;
  std::string call_;
  std::uint64_t begin_;
};

RuleResult check(const ConformanceRule& rule, const VerifySettings& settings, const std::atomic<bool>& stop) {
  RuleResult result{rule.name, rule.promise, {}, 0, ""};
  const fs::path folder = fs::path(settings.folder) / rule.name;
  const std::uint64_t begin = monotonic_ns();
  try {
    fs::create_directory(folder);
    RuleWatch watch(settings, stop,
                    {settings.library, rule.name, text_of(folder), settings.options, settings.patience, settings.url,
                     text_of(fs::path(settings.folder).filename())});
    result.verdict = watch.run();
    result.log = watch.log();
  } catch (const std::exception& fault) {
    result.verdict = {RuleOutcome::cannot_run, fault.what()};
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  result.seconds = static_cast<double>(monotonic_ns() - begin) / 1e9;
  return result;
}

bool wanted(const VerifySettings& settings, const ConformanceRule& rule) {
  return settings.only.empty() ||
         std::find(settings.only.begin(), settings.only.end(), rule.name) != settings.only.end();
}

// Why nothing that follows can be said, or empty: the first two rules are the handshake and the probe.
std::string obstacle(const RuleResult& result) {
  const auto rules = conformance_rules();
  if (result.name != rules[0].name && result.name != rules[1].name) return "";
  if (result.verdict.outcome == RuleOutcome::cannot_run) return "the engine cannot run here";
  if (result.verdict.outcome == RuleOutcome::violation) return fmt::format("{} is broken", result.name);
  return "";
}

}  // namespace

std::size_t Verification::count(RuleOutcome outcome) const {
  return static_cast<std::size_t>(std::count_if(
      rules.begin(), rules.end(), [&](const RuleResult& rule) { return rule.verdict.outcome == outcome; }));
}

Verification verify_engine(const VerifySettings& settings, const std::atomic<bool>& stop,
                           const std::function<void(const RuleResult&)>& on_result) {
  Verification verification;
  std::string obstacle_text;
  for (const ConformanceRule& rule : conformance_rules()) {
    if (!wanted(settings, rule)) continue;
    RuleResult result{rule.name, rule.promise, {RuleOutcome::not_run, obstacle_text}, 0, ""};
    if (stop.load()) obstacle_text = result.verdict.note = "interrupted";
    if (obstacle_text.empty()) {
      result = check(rule, settings, stop);
      obstacle_text = obstacle(result);
    }
    verification.rules.push_back(std::move(result));
    on_result(verification.rules.back());
  }
  verification.interrupted = stop.load();
  return verification;
}

}  // namespace diskproof
