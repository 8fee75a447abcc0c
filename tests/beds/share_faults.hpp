// What a run must show of any server of files that stops or dies under its load, and hands that make such things
// happen.
#pragma once

#include <functional>
#include <string>

#include "integration/bench.hpp"

namespace diskproof::testing {

// Sends a signal to the server.
using SignalServer = std::function<void(int number)>;

// Of a job whose phase `load` reads for 8 s: stops the server for 3 s of them.
void check_stop_is_seen(const std::string& job, const SignalServer& signal);

// Of a job whose phase `load` reads for longer: kills the server; the phase is an error that says so, in every report.
void check_death_ends_phase(const std::string& job, const SignalServer& signal);

// The same, with a time limit of 2 s for each request: stops the server for longer.
void check_limit_ends_phase(const std::string& job, const SignalServer& signal);

// Starts the job and kills the runner with all its children once `phase` is under way.
void cut_off(const Bench& bench, const std::string& job, const std::string& phase);

// Flips a bit of the byte at that place.
void change_byte(const std::string& path, long at);

}  // namespace diskproof::testing
