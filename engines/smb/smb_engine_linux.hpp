// The engine itself: what it is, its options.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <diskproof/engine.hpp>

#include "smb_credentials.hpp"

namespace smb {

struct Engine {
  using Queue = class Queue;
  static constexpr dp::About kAbout{
      .name = "smb",
      .version = "0.1.0",
      .summary = "SMB 2 and 3 without a mount, by libsmbclient in a process per I/O in flight",
      .capabilities = DP_CAP_URLS | DP_CAP_NAMES | DP_CAP_STAMPS,
      .operations = dp::operations(DP_OP_READ, DP_OP_WRITE),  // libsmbclient has no call for a flush
      .wait_granularity_ns = 5'000'000,
      .max_depth = 32};
  static constexpr std::array kOptions{
      dp::option(DP_OPTION_STRING, "credentials_file",
                 "file with lines username=, password= and domain=; what the URL says of them goes first"),
      dp::option(DP_OPTION_STRING, "password_env", "environment variable that holds the password"),
      dp::option(DP_OPTION_BOOL, "encrypt", "refuses a server that does not encrypt the data on its way", "false"),
      dp::option(DP_OPTION_DURATION, "timeout", "time that the server has to answer a request, after which it fails",
                 "30000000000", 1'000'000'000, 600'000'000'000)};

  static void probe(dp::Host);
  Engine(dp::Host host_, dp::Options options);

  dp::Host host;
  Credentials credentials;
  bool encrypt;
  std::uint64_t timeout;  // ns
};

}  // namespace smb
