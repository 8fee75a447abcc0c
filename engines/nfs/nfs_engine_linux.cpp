// nfs: a client of NFS servers in this process, by libnfs; needs neither a mount nor rights.
#include "nfs_engine_linux.hpp"

#include "nfs_queue_linux.hpp"

namespace nfs {

Engine::Engine(dp::Host host_, dp::Options options)
    : host(host_), connections(static_cast<std::uint32_t>(options.number("connections"))) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  policy.timeout_ms = static_cast<std::uint32_t>((options.number("timeout") + kSecond - 1) / kSecond * 1000);
  policy.reconnect = options.flag("reconnect");
}

}  // namespace nfs

DP_DEFINE_ENGINE(nfs::Engine)
