// Logarithm and exponential of our own, by +, -, *, / alone: the same seed gives the same times with every compiler and
// library. Compiled without contraction (CMakeLists.txt).
#pragma once

namespace sim {

double natural_log(double x) noexcept;  // x > 0 and normal; relative error below 1e-14
double exponential(double x) noexcept;  // x is cut to -700 … 700; relative error below 1e-14

}  // namespace sim
