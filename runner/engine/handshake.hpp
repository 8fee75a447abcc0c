// Is this plug-in what it says it is? Every check that can refuse an engine, each with a message of its own.
#pragma once

#include <string>
#include <string_view>

#include <diskproof/engine_abi.h>

#include "support/error.hpp"

namespace diskproof {

// The engine breaks the contract, wherever it is loaded.
class HandshakeError : public Error {
 public:
  explicit HandshakeError(const std::string& text) : Error(ErrorKind::unavailable, text) {}
};

// Magic, versions, size, name, option table. Reads only data; runs no code of the engine. `where` is the library's path
// or another name for the messages. `expected_name` empty: any. Throws HandshakeError.
void check_manifest(const dp_manifest& manifest, const std::string& where, std::string_view expected_name);

// Calls the engine's open function and checks the table that it returns against the manifest.
const dp_engine_api& open_engine(const dp_manifest& manifest, dp_engine_open_fn open, const dp_host& host,
                                 const std::string& where);

}  // namespace diskproof
