// Recursive descent over words; each rule of the grammar is one function. A fault leaves by one private exception.
#include "verdict/threshold_expr.hpp"

#include <array>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "support/near_name.hpp"
#include "support/units.hpp"
#include "verdict/bound_number.hpp"
#include "verdict/words.hpp"

namespace diskproof {
namespace {

constexpr std::string_view kGrammar = "METRIC >= VALUE [for N% of intervals] [with fail|warn]";
constexpr std::string_view kAbortGrammar = "METRIC > VALUE for DURATION";
constexpr std::string_view kOfIntervals =
    "over intervals: iops, bandwidth, operations, bytes, errors and latency.mean, .max, .p50, .p99, .p99.9";

std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 60;
  if (text.size() <= kShown) return fmt::format("'{}'", text);
  std::size_t cut = kShown;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0u) == 0x80u) --cut;  // no half of a character
  return fmt::format("'{}…'", text.substr(0, cut));
}

struct Fault {
  ThresholdError error;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), end_{{}, text.size()}, words_(split_words(text)) {
    expr_.check = std::string(text);
  }

  ThresholdExpr parse() {
    parse_metric();
    parse_comparison();
    if (accept("for")) parse_intervals();
    if (accept("with")) parse_severity();
    if (at_ < words_.size()) fail(fmt::format("{} is not expected here", quoted(peek().text)), std::string(kGrammar));
    return std::move(expr_);
  }

  ThresholdExpr parse_abort() {
    parse_metric();
    parse_comparison();
    if (!accept("for")) fail("how long it must hold is missing", std::string(kAbortGrammar));
    const Word& word = peek();
    const auto time = parse_duration(word.text);
    if (!time) fail(fmt::format("{} is not a duration", quoted(word.text)), "write for example 'for 10s'");
    if ((*time).count() <= 0) fail("it must hold for more than no time", "write for example 'for 10s'");
    expr_.sustained = static_cast<std::uint64_t>((*time).count());
    ++at_;
    if (at_ < words_.size()) {
      fail(fmt::format("{} is not expected here", quoted(peek().text)), std::string(kAbortGrammar));
    }
    check_per_interval();
    return std::move(expr_);
  }

 private:
  [[noreturn]] void fail_at(const Word& word, std::string text, std::string hint) const {
    throw Fault{{std::move(text), std::move(hint), word.offset}};
  }
  [[noreturn]] void fail(std::string text, std::string hint) const {
    fail_at(peek(), std::move(text), std::move(hint));
  }
  [[noreturn]] void not_available(const Word& word, std::string_view what) const {
    fail_at(word, fmt::format("{} is not available in this version", what), "");
  }

  [[nodiscard]] const Word& peek(std::size_t ahead = 0) const {
    return at_ + ahead < words_.size() ? words_[at_ + ahead] : end_;
  }
  bool accept(std::string_view word) {
    if (peek().text != word) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view word, std::string_view after) {
    if (!accept(word)) fail(fmt::format("expected '{}' after {}", word, after), std::string(kGrammar));
  }

  void parse_metric() {
    if (words_.empty()) fail("a threshold is empty", std::string(kGrammar));
    const Word& word = words_[at_++];
    auto metric = find_metric(word.text);
    if (!metric) {
      const std::string near = nearest_metric(word.text.substr(0, 64));
      fail_at(word, fmt::format("{} is not a metric", quoted(word.text)),
              near.empty() ? "metrics are named like read.iops or write.latency.p99" : "did you mean " + near + "?");
    }
    if (metric->row->later) not_available(word, fmt::format("the metric {}", metric->name));
    expr_.metric = std::move(*metric);
  }

  void parse_comparison() {
    constexpr std::array<std::pair<std::string_view, Comparison>, 5> kOperators{{{">=", Comparison::at_least},
                                                                                 {">", Comparison::above},
                                                                                 {"<=", Comparison::at_most},
                                                                                 {"<", Comparison::below},
                                                                                 {"==", Comparison::equal}}};
    if (accept("within")) {
      const double percent = parse_share();
      if (percent <= 0)
        fail_at(words_[at_ - 1], "a tolerance of 0% holds for no measured value", "write for example within 5% of");
      expr_.comparison = Comparison::within;
      expr_.tolerance = percent / 100;
      expect("of", "within N%");
      return parse_value();
    }
    for (const auto& [sign, comparison] : kOperators) {
      if (!accept(sign)) continue;
      expr_.comparison = comparison;
      check_equal(words_[at_ - 1]);
      return parse_value();
    }
    fail(peek().text.empty() ? fmt::format("nothing is required of {}", expr_.metric.name)
                             : fmt::format("{} is not a comparison", quoted(peek().text)),
         "one of >= > <= < == or within N% of");
  }

  void check_equal(const Word& word) const {
    const MetricUnit unit = expr_.metric.row->unit;
    const bool counted = unit == MetricUnit::count || unit == MetricUnit::bytes;
    if (expr_.comparison != Comparison::equal || counted) return;
    fail_at(word, fmt::format("== never holds for {}, which is measured, not counted", expr_.metric.name),
            "write within N% of, >= or <=");
  }

  // `95 %`, with the number at hand.
  void refuse_lone_percent() const {
    if (peek(1).text != "%") return;
    fail_at(peek(1), fmt::format("'{} %' has a space before the percent sign", peek().text),
            fmt::format("write {}% without a space", peek().text));
  }

  void parse_value() {
    refuse_lone_percent();
    if (peek().text.empty()) fail("the bound is missing", std::string(kGrammar));
    if (parse_reference(1)) return;
    if (peek().text.ends_with('%') && peek(1).text == "of") {
      const Word& share = peek();
      const double percent = parse_share();
      ++at_;
      if (!parse_reference(percent / 100)) {
        const std::string near = nearest_name(peek().text.substr(0, 64), {"limit", "baseline", "peers", "phase"});
        fail(peek().text.empty() ? "what the share is of is missing"
                                 : fmt::format("{} is nothing to take a share of", quoted(peek().text)),
             near.empty() ? "write for example 95% of limit" : "did you mean " + near + "?");
      }
      if (percent <= 0) fail_at(share, "a share of 0% requires nothing", "write for example 95% of limit");
      return;
    }
    parse_number_with_unit();
  }

  double parse_share() {
    refuse_lone_percent();
    const Word& word = peek();
    const auto percent = parse_percent(word.text);
    if (!percent)
      fail(word.text.empty() ? "a percentage is missing" : percent.error, "write for example 95%, without a space");
    ++at_;
    return *percent;
  }

  void parse_number_with_unit() {
    const Word& word = peek();
    const MetricUnit unit = expr_.metric.row->unit;
    const BoundWords known = bound_words(unit);
    const auto parsed = parse_bound(word.text, unit);
    if (!parsed) {
      fail(
          fmt::format("{} is {}, but {}", expr_.metric.name, known.kind, parsed.error),
          parsed.error.find("; write ") != std::string::npos ? "" : fmt::format("write for example {}", known.example));
    }
    expr_.number = *parsed;
    ++at_;
  }

  // `limit`, `limit.group`, and what later versions know.
  bool parse_reference(double share) {
    const Word& word = peek();
    if (word.text == "limit" || word.text.starts_with("limit.")) {
      parse_limit(word, share);
      ++at_;
      return true;
    }
    if (word.text == "baseline") not_available(word, peek(1).text == "-" ? "'baseline - noise'" : "'of baseline'");
    if (word.text == "baseline-noise") not_available(word, "'baseline - noise'");
    if (word.text == "peers") not_available(word, "'of peers'");
    if (word.text == "phase") {
      parse_phase(share);
      return true;
    }
    return false;
  }

  // The name may have spaces and signs: it is the text between its first and its last word.
  void parse_phase(double share) {
    ++at_;
    const Word& first = peek();
    std::size_t end = first.offset;
    while (at_ < words_.size() && peek().text != "for" && peek().text != "with") {
      end = peek().offset + peek().text.size();
      ++at_;
    }
    if (end == first.offset) fail("the name of the phase is missing", "write for example 90% of phase warm");
    expr_.phase = PhaseReference{share, std::string(text_.substr(first.offset, end - first.offset))};
  }

  void parse_limit(const Word& word, double share) {
    const MetricInfo& metric = expr_.metric;
    const bool limited =
        (metric.row->unit == MetricUnit::per_second || metric.row->unit == MetricUnit::bytes_per_second) &&
        !metric.direction.empty() && metric.direction != "sync";
    if (!limited) {
      fail_at(word, fmt::format("no limit speaks of {}", metric.name),
              "limits are for the iops and bandwidth of read, write, trim and total");
    }
    LimitReference reference{share, {}};
    if (word.text.size() > 5) {
      const std::string_view group = word.text.substr(6);
      if (group.empty())
        fail_at(word, "the name of a group of limits is missing after 'limit.'", "write limit, or limit.GROUP");
      reference.group = std::string(group);
    }
    expr_.limit = std::move(reference);
  }

  void parse_intervals() {
    const Word& word = peek();
    if (!word.text.ends_with('%') && parse_duration(word.text)) {
      fail_at(word, "'for DURATION' belongs to `abort`", "write for N% of intervals, or move it to `abort`");
    }
    const double percent = parse_share();
    if (percent <= 0 || percent > 100) fail_at(word, "the share of intervals must be above 0% and at most 100%", "");
    expect("of", "for N%");
    expect("intervals", "for N% of");
    check_per_interval();
    expr_.interval_percent = percent;
  }

  void check_per_interval() const {
    if (expr_.metric.row->per_interval) return;
    fail_at(words_.front(), fmt::format("{} is not measured per interval", expr_.metric.name),
            std::string(kOfIntervals));
  }

  void parse_severity() {
    if (accept("warn")) {
      expr_.warn = true;
    } else if (accept("fail")) {
      expr_.warn = false;
    } else {
      fail(peek().text.empty() ? "the severity is missing" : fmt::format("{} is not a severity", quoted(peek().text)),
           "write with fail or with warn");
    }
  }

  std::string_view text_;
  Word end_;  // what peek() gives past the last word
  std::vector<Word> words_;
  std::size_t at_ = 0;
  ThresholdExpr expr_;
};

}  // namespace

CompiledThreshold compile_threshold(std::string_view text) {
  try {
    return Parser(text).parse();
  } catch (Fault& fault) {
    return std::move(fault.error);
  }
}

CompiledThreshold compile_abort(std::string_view text) {
  try {
    return Parser(text).parse_abort();
  } catch (Fault& fault) {
    return std::move(fault.error);
  }
}

CompiledThreshold compile_threshold(const Threshold& threshold) {
  CompiledThreshold compiled = compile_threshold(std::string_view(threshold.check));
  if (auto* expr = std::get_if<ThresholdExpr>(&compiled); expr != nullptr && !expr->warn) expr->warn = threshold.warn;
  return compiled;
}

std::optional<std::string> extra_percentile(const ThresholdExpr& expr) {
  if (!expr.metric.percentile) return std::nullopt;
  return percentile_label(*expr.metric.percentile);
}

std::optional<std::uint64_t> interval_latency_bound(const ThresholdExpr& expr) {
  const bool latency = expr.metric.row->unit == MetricUnit::nanoseconds;
  if (!latency || !expr.interval_percent || expr.limit || expr.phase) return std::nullopt;
  return static_cast<std::uint64_t>(expr.number);
}

}  // namespace diskproof
