// bench_bare_loop KIND KEY=VALUE…: one bare loop of random 4 KiB reads; prints one line of JSON.
#include "bare_loop.hpp"

#include <charconv>
#include <cstdio>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

using namespace diskproof::bench;

constexpr const char* kUsage =
    "usage: bench_bare_loop pread|aio|ring|table path=FILE|ENGINE size=BYTES ns=DURATION|operations=COUNT [depth=N] "
    "[batch=N] [direct=1]\n";

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size()) {
    throw std::invalid_argument("not a number: " + std::string(text));
  }
  return value;
}

BareJob job_of(int argc, char** argv) {
  BareJob job;
  const std::map<std::string_view, std::function<void(std::string_view)>> keys{
      {"path", [&](std::string_view value) { job.path = value; }},
      {"size", [&](std::string_view value) { job.size = number(value); }},
      {"depth", [&](std::string_view value) { job.depth = static_cast<std::uint32_t>(number(value)); }},
      {"batch", [&](std::string_view value) { job.batch = static_cast<std::uint32_t>(number(value)); }},
      {"direct", [&](std::string_view value) { job.direct = number(value) != 0; }},
      {"ns", [&](std::string_view value) { job.duration = number(value); }},
      {"operations", [&](std::string_view value) { job.operations = number(value); }}};
  for (int i = 2; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const std::size_t split = argument.find('=');
    const auto key = keys.find(argument.substr(0, split));
    if (split == std::string_view::npos || key == keys.end()) throw std::invalid_argument(std::string(argument));
    key->second(argument.substr(split + 1));
  }
  if (job.path.empty() || job.size < kBlock || job.depth == 0 || job.batch == 0) throw std::invalid_argument("too few");
  return job;
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string_view, BareResult (*)(const BareJob&)> kinds{
      {"pread", run_pread}, {"aio", run_aio}, {"ring", run_ring}, {"table", run_table}};
  const auto kind = argc < 2 ? kinds.end() : kinds.find(argv[1]);
  try {
    if (kind == kinds.end()) throw std::invalid_argument("no such loop");
    const BareResult result = kind->second(job_of(argc, argv));
    const auto operations = static_cast<double>(result.operations);
    std::printf("{\"operations\": %llu, \"iops\": %.1f, \"cpu_per_io_ns\": %.3f}\n",
                static_cast<unsigned long long>(result.operations),
                operations * 1e9 / static_cast<double>(result.duration), static_cast<double>(result.cpu) / operations);
    return 0;
  } catch (const std::invalid_argument& fault) {
    std::fprintf(stderr, "bench_bare_loop: %s\n%s", fault.what(), kUsage);
    return 3;
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "bench_bare_loop: %s\n", fault.what());
    return 2;
  }
}
