// Arguments as one command line, so that a program of Windows takes them apart again into the same ones.
#pragma once

#include <string>
#include <vector>

namespace diskproof {

std::string command_line(const std::vector<std::string>& argv);

}  // namespace diskproof
