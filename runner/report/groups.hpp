// What is said of phases that ran at the same time: which window a number is of.
#pragma once

#include <string>
#include <vector>

#include "report/run_report.hpp"

namespace diskproof {

// "0 s to 4 s"; empty when nothing was measured.
std::string window_text(const PhaseReport& phase);
std::string window_text(const CommonWindow& common);

// Per line which window, and what all phases together came to in it; empty for what is no group.
struct GroupLine {
  std::string window;  // "whole run", "in common"
  std::string text;
};
std::vector<GroupLine> group_lines(const PhaseReport& phase);

}  // namespace diskproof
