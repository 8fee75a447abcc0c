// The contract's error codes in words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <diskproof/engine_abi.h>

namespace diskproof {

// "eio"; "unknown" for a number that the contract does not have. Takes the code or its negative.
std::string_view code_name(std::int64_t code) noexcept;

// "the medium or the server failed the I/O"
std::string_view code_text(std::int64_t code) noexcept;

// What a failed call said: its text, else its code in words and that the engine did not say why; with the system's
// own number where there is one. `status` is what the call returned.
std::string failure_text(std::int64_t status, const dp_error& error);

}  // namespace diskproof
