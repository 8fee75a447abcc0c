// smb: a client of SMB servers that needs neither a mount nor rights. libsmbclient may be used by one thread of a
// process only and waits for each answer, so it runs in processes of its own, one for each I/O in flight.
#include "smb_engine_linux.hpp"

#include "client_linux.hpp"
#include "smb_queue_linux.hpp"

namespace smb {

void Engine::probe(dp::Host) { try_client_program(); }

Engine::Engine(dp::Host host_, dp::Options options)
    : host(host_), encrypt(options.flag("encrypt")), timeout(options.number("timeout")) {
  const std::string file(options.text("credentials_file")), variable(options.text("password_env"));
  if (!file.empty()) credentials = credentials_from_file(file);
  if (variable.empty()) return;
  if (credentials.has_password)
    throw dp::EngineError(DP_EINVAL, "password_env and credentials_file both give the password; leave one of them");
  const Credentials of_variable = credentials_from_environment(variable);
  credentials.password = of_variable.password;
  credentials.has_password = true;
}

}  // namespace smb

DP_DEFINE_ENGINE(smb::Engine)
