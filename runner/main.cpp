// diskproof: arguments in, exit code out. As the child of a phase or of a rule it speaks the protocol of
// exec/ instead.
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cli.hpp"
#include "cli/machine.hpp"
#include "cli/stop_control.hpp"
#include "conformance/conformance_child.hpp"
#include "exec/phase_runner.hpp"
#include "support/log.hpp"

int main(int argc, char** argv) {
  diskproof::settle_process();
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "--phase-child") return diskproof::phase_child_main(argc, argv);
  if (first == diskproof::kRuleChildRole) return diskproof::conformance_child_main();
  std::optional<diskproof::InterruptGuard> guard;  // for the whole of a run, also while it reads and plans
  if (first == "run") guard.emplace();
  diskproof::set_up_log(diskproof::LogLevel::normal);
  diskproof::Terminal terminal{std::cout, std::cerr, diskproof::is_terminal_stdout()};
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  return diskproof::run_cli(arguments, terminal);
}
