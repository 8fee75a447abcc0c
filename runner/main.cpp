// diskproof: arguments in, exit code out. As the child of a phase or of a rule it speaks the protocol of
// exec/ instead.
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "cli/cli.hpp"
#include "cli/machine.hpp"
#include "cli/stop_control.hpp"
#include "conformance/conformance_child.hpp"
#include "exec/phase_runner.hpp"
#include "support/log.hpp"

int main(int argc, char** argv) {
  diskproof::settle_process();
  const std::vector<std::string> arguments = diskproof::program_arguments(argc, argv);
  const std::string first = arguments.empty() ? "" : arguments.front();
  if (first == "--phase-child") return diskproof::phase_child_main(argc, argv);
  if (first == diskproof::kRuleChildRole) return diskproof::conformance_child_main();
  std::optional<diskproof::InterruptGuard> guard;  // for the whole of a run, also while it reads and plans
  if (first == "run") guard.emplace();
  diskproof::set_up_log(diskproof::LogLevel::normal);
  diskproof::Terminal terminal{std::cout, std::cerr, diskproof::is_terminal_stdout()};
  return diskproof::run_cli(arguments, terminal);
}
