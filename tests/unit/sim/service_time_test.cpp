// Distributions of service times, with a fixed seed: shape, moments, and the same numbers everywhere.
#include "sim/service_time.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <numeric>
#include <vector>

using namespace sim;

namespace {

using Times = std::vector<std::uint64_t>;
constexpr std::size_t kDraws = 100'000;

Times draw(const ServiceSpec& spec, std::size_t count = kDraws) {
  ServiceTime service(spec);
  Times times;
  for (std::uint64_t number = 1; number <= count; ++number) times.push_back(service.of(number));
  return times;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Mean product of deviations with the value `lag` places on; lag 0 is the variance.
double covariance(const std::vector<double>& values, std::size_t lag) {
  const double middle = mean(values);
  double sum = 0;
  for (std::size_t i = lag; i < values.size(); ++i) sum += (values[i] - middle) * (values[i - lag] - middle);
  return sum / static_cast<double>(values.size() - lag);
}

double chi_square(const std::vector<std::size_t>& bins) {
  const double expected = static_cast<double>(kDraws) / static_cast<double>(bins.size());
  double sum = 0;
  for (const std::size_t bin : bins)
    sum += (static_cast<double>(bin) - expected) * (static_cast<double>(bin) - expected) / expected;
  return sum;
}
constexpr double kChi19 = 43.8;  // 19 degrees of freedom: above it once in a thousand

std::uint64_t fingerprint(const Times& times) {
  std::uint64_t sum = 0;
  for (const std::uint64_t time : times) sum = sum * 31 + time;
  return sum;
}

// Factors on a service time that is long enough for rounding not to matter.
std::vector<double> factors(ServiceSpec spec) {
  spec.time = 1'000'000'000;
  std::vector<double> values;
  for (const std::uint64_t time : draw(spec)) values.push_back(static_cast<double>(time) / 1e9);
  return values;
}

}  // namespace

TEST_CASE("sim service: constant is constant") {
  for (const std::uint64_t time : draw({.time = 250'000}, 100)) CHECK(time == 250'000);
}

TEST_CASE("sim service: uniform fills its whole range evenly") {
  const Times times = draw({.distribution = Distribution::uniform, .time = 1000, .spread = 999, .seed = 1});
  CHECK(*std::min_element(times.begin(), times.end()) == 1);
  CHECK(*std::max_element(times.begin(), times.end()) == 1999);
  std::vector<std::size_t> bins(20);
  for (const std::uint64_t time : times) ++bins[time * 20 / 2000];
  CHECK(chi_square(bins) < kChi19 + 2);  // the first bin has one value fewer
}

TEST_CASE("sim service: lognormal is a normal distribution of logarithms with its median and sigma") {
  const double sigma = 0.5;
  const Times times = draw({.distribution = Distribution::lognormal, .time = 1'000'000, .sigma = sigma, .seed = 1});
  std::vector<double> logs;
  std::vector<std::size_t> bins(20);
  for (const std::uint64_t time : times) {
    logs.push_back(std::log(static_cast<double>(time) / 1e6) / sigma);
    const double below = 0.5 * std::erfc(-logs.back() / std::sqrt(2.0));
    ++bins[std::min<std::size_t>(static_cast<std::size_t>(below * 20), 19)];
  }
  CHECK(mean(logs) == doctest::Approx(0).epsilon(0.01));
  CHECK(covariance(logs, 0) == doctest::Approx(1).epsilon(0.015));
  CHECK(std::fabs(covariance(logs, 1)) < 0.013);
  CHECK(chi_square(bins) < kChi19);
  double fourth = 0;
  for (const double log : logs) fourth += log * log * log * log;
  CHECK(fourth / static_cast<double>(kDraws) == doctest::Approx(3).epsilon(0.05));
}

TEST_CASE("sim service: bimodal is slow once in so many, at random") {
  const Times times =
      draw({.distribution = Distribution::bimodal, .time = 100, .slow_time = 9000, .slow_one_in = 50, .seed = 1});
  const auto slow = std::count(times.begin(), times.end(), 9000u);
  CHECK(slow + std::count(times.begin(), times.end(), 100u) == static_cast<std::ptrdiff_t>(kDraws));
  CHECK(slow == doctest::Approx(2000).epsilon(0.08));  // four standard deviations are 177
}

TEST_CASE("sim service: noise has its deviation, and each operation its own") {
  const std::vector<double> values = factors({.noise = 0.1, .seed = 1});
  CHECK(mean(values) == doctest::Approx(1).epsilon(0.002));
  CHECK(std::sqrt(covariance(values, 0)) == doctest::Approx(0.1).epsilon(0.01));
  CHECK(std::fabs(covariance(values, 1) / covariance(values, 0)) < 0.013);
}

TEST_CASE("sim service: noise with a memory is an AR(1) process") {
  const std::vector<double> values = factors({.noise = 0.1, .noise_memory = 10, .seed = 1});
  const double variance = covariance(values, 0);
  CHECK(mean(values) == doctest::Approx(1).epsilon(0.005));
  CHECK(std::sqrt(variance) == doctest::Approx(0.1).epsilon(0.03));
  for (const std::size_t lag : {1u, 2u, 5u, 10u}) {
    CAPTURE(lag);
    CHECK(covariance(values, lag) / variance == doctest::Approx(std::pow(0.9, lag)).epsilon(0.05));
  }
}

TEST_CASE("sim service: noise never makes a time negative") {
  for (const std::uint64_t time : draw({.time = 1000, .noise = 1, .seed = 1})) CHECK(time < 10'000);
}

TEST_CASE("sim service: the same seed gives the same times with every compiler, another seed others") {
  const ServiceSpec lognormal{.distribution = Distribution::lognormal, .time = 1'000'000, .sigma = 0.7, .seed = 42};
  CHECK(draw(lognormal, 5) == Times{556610, 508736, 1428864, 482847, 868773});
  CHECK(fingerprint(draw(lognormal)) == 5609469851464925980u);
  ServiceSpec noisy = lognormal;
  noisy.noise = 0.2;
  noisy.noise_memory = 100;
  CHECK(draw(noisy, 5) == Times{607878, 571655, 1596843, 533652, 928686});
  CHECK(fingerprint(draw(noisy)) == 14681998127780612761u);
  const ServiceSpec uniform{.distribution = Distribution::uniform, .time = 1'000'000, .spread = 500'000, .seed = 42};
  CHECK(draw(uniform, 5) == Times{787007, 1391749, 606169, 827905, 747462});
  CHECK(fingerprint(draw(uniform)) == 10065342905036958690u);
  ServiceSpec other = lognormal;
  other.seed = 43;
  CHECK(draw(other, 5) != draw(lognormal, 5));
}
