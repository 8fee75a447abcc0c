// diskproof: arguments in, exit code out. As the child of a phase or of a rule it speaks the protocol of
// exec/ instead.
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cli.hpp"
#include "cli/machine.hpp"
#include "conformance/conformance_child.hpp"
#include "exec/phase_runner.hpp"
#include "support/log.hpp"

int main(int argc, char** argv) {
  diskproof::settle_process();
  if (argc > 1 && std::string_view(argv[1]) == "--phase-child") return diskproof::phase_child_main(argc, argv);
  if (argc > 1 && std::string_view(argv[1]) == diskproof::kRuleChildRole) return diskproof::conformance_child_main();
  diskproof::set_up_log(diskproof::LogLevel::normal);
  diskproof::Terminal terminal{std::cout, std::cerr, diskproof::is_terminal_stdout()};
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  return diskproof::run_cli(arguments, terminal);
}
