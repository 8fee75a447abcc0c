// Libraries that are named like engines and are none: plain, aborting or hanging when they are loaded (BROKEN_KIND).
#include <cstdlib>
#include <unistd.h>

namespace {

struct AtLoad {
  AtLoad() {
    if (BROKEN_KIND == 1) std::abort();
    while (BROKEN_KIND == 2) ::pause();
  }
};
const AtLoad at_load;

}  // namespace
