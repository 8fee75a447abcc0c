// The doctest entry point that every test executable links.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#if defined(__SANITIZE_THREAD__)
// A ring's memory is shared with the kernel, mapped and unmapped by system calls that the sanitizer does not see: two
// rings that lie at the same address one after the other look like a race to it.
extern "C" const char* __tsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __tsan_default_suppressions() { return "race:dp::IoUringQueue\n"; }
#endif
