// Libraries that are named like engines and are none: plain, aborting or hanging when they are loaded, or with a
// manifest that points nowhere (BROKEN_KIND).
#include <cstdlib>
#include <unistd.h>

#include <diskproof/engine.hpp>

namespace {

struct AtLoad {
  AtLoad() {
    if (BROKEN_KIND == 1) std::abort();
    while (BROKEN_KIND == 2) ::pause();
  }
};
const AtLoad at_load;

}  // namespace

#if BROKEN_KIND == 3
extern "C" {
DP_EXPORT dp_manifest dp_engine_manifest = {DP_MANIFEST_MAGIC,
                                            sizeof(dp_manifest),
                                            DP_ABI_MAJOR,
                                            DP_ABI_MINOR,
                                            0,
                                            "nowhere",
                                            "1",
                                            reinterpret_cast<const char*>(8),  // its summary
                                            nullptr,
                                            0,
                                            DP_CAP_NO_TARGET,
                                            1u << DP_OP_READ,
                                            0,
                                            0};
DP_EXPORT const dp_engine_api* dp_engine_open(const dp_host*, dp_error*) { return nullptr; }
}
#endif
