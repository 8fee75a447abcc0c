// Precedence of outcomes and of exit codes, every combination.
#include "verdict/outcome.hpp"

#include <doctest/doctest.h>
#include <string>
#include <vector>

namespace diskproof {
namespace {

TEST_CASE("outcome: the worse of two is error, fail, inconclusive, pass, skipped in this order") {
  const std::vector<Outcome> order{Outcome::skipped, Outcome::pass, Outcome::inconclusive, Outcome::fail,
                                   Outcome::error};
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t k = 0; k < order.size(); ++k) {
      CHECK(worse(order[i], order[k]) == order[i > k ? i : k]);
    }
  }
}

TEST_CASE("outcome: the exit code follows 130, 4, 2, 1, 5, 0") {
  struct Row {
    std::string name;
    RunEnding ending;
    int code;
  };
  for (const Row& row :
       {Row{"pass", {Outcome::pass, false, false}, 0}, Row{"all skipped", {Outcome::skipped, false, false}, 0},
        Row{"inconclusive", {Outcome::inconclusive, false, false}, 5}, Row{"fail", {Outcome::fail, false, false}, 1},
        Row{"error", {Outcome::error, false, false}, 2},
        Row{"refused before anything", {Outcome::pass, true, false}, 4},
        Row{"refused beats error", {Outcome::error, true, false}, 4},
        Row{"interrupted beats refused", {Outcome::error, true, true}, 130},
        Row{"interrupted while passing", {Outcome::pass, false, true}, 130}}) {
    CAPTURE(row.name);
    CHECK(static_cast<int>(exit_code(row.ending)) == row.code);
  }
}

TEST_CASE("outcome: names are those of the reports") {
  CHECK(to_string(Outcome::pass) == "pass");
  CHECK(to_string(Outcome::fail) == "fail");
  CHECK(to_string(Outcome::inconclusive) == "inconclusive");
  CHECK(to_string(Outcome::error) == "error");
  CHECK(to_string(Outcome::skipped) == "skipped");
}

}  // namespace
}  // namespace diskproof
