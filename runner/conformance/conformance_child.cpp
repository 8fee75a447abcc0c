// Loads the engine, checks one rule, and says how it ended. It leaves without destructors: a broken engine may have
// left threads and I/O behind that would use what they free.
#include "conformance/conformance_child.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <string_view>
#include <utility>

#include "conformance/order.hpp"
#include "conformance/subject.hpp"
#include "engine/handshake.hpp"
#include "exec/child_channel.hpp"
#include "exec/child_host.hpp"
#include "exec/messages.hpp"
#include "support/error.hpp"

namespace diskproof {
namespace {

const ConformanceRule& find_rule(const std::string& name) {
  for (const ConformanceRule& rule : conformance_rules()) {
    if (name == rule.name) return rule;
  }
  throw Error(ErrorKind::failed, fmt::format("there is no rule {}", name));
}

RuleVerdict check_rule(const RuleOrder& order, Trace& trace) {
  static const ChildHost host(order.folder, TickClock{});  // engines may keep it until the process ends
  const ConformanceRule& rule = find_rule(order.rule);
  try {
    keep_descendants();
    ProcessState at_start = process_state();
    trace.enter("dp_engine_open");
    const Library library = Library::load(order.library, host.table());
    Subject subject(library, host.table(), order, trace, std::move(at_start));
    return {RuleOutcome::pass, rule.check(subject)};
  } catch (const HandshakeError& refusal) {
    return {RuleOutcome::violation, refusal.what()};
  } catch (const Violation& violation) {
    return {RuleOutcome::violation, violation.what()};
  } catch (const NotApplicable& reason) {
    return {RuleOutcome::not_applicable, reason.what()};
  } catch (const CannotRun& reason) {
    return {RuleOutcome::cannot_run, reason.what()};
  } catch (const Error& error) {
    // A call that the rule counts on: the engine says why it failed.
    return {error.kind() == ErrorKind::unavailable ? RuleOutcome::cannot_run : RuleOutcome::violation, error.what()};
  }
}

}  // namespace

int conformance_child_main() {
  ChildChannel channel;
  try {
    channel.write(FrameType::hello, hello_text());
    const auto frame = channel.read();
    if (!frame) return 2;
    if (frame->type != FrameType::rule) throw Error(ErrorKind::failed, "expected a rule to check");
    const RuleOrder order = parse_order(frame->payload);
    Trace trace(channel);
    channel.write(FrameType::verdict, verdict_text(check_rule(order, trace)));
  } catch (const std::exception& fault) {
    channel.write(FrameType::error, error_text(Error(ErrorKind::failed, fault.what())));
    leave_now(2);
  }
  leave_now(0);
}

}  // namespace diskproof
