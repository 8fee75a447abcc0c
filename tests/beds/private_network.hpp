// A network and mounts that only this process and what it starts can reach, for the servers of the beds.
#pragma once

#include <string>

#include "integration/program.hpp"

namespace diskproof::testing {

// Takes the process into them for good. Why not; empty: it is there.
std::string enter_private_network();

bool is_installed(const std::string& program);

// Until somebody listens on the port of 127.0.0.1; false when the program ends before, or after 20 s.
bool wait_for_port(int port, Program& program);

void mount_memory(const std::string& folder, const char* options);
void unmount(const std::string& folder);

}  // namespace diskproof::testing
