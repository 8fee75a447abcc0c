/* The contract compiles as C11 with nothing before it, and its layout is what every compiler must produce. */
#include <stddef.h>

#include <diskproof/engine_abi.h>

_Static_assert(sizeof(void*) == 8, "64-bit systems only");
_Static_assert(sizeof(dp_io) == 32 && offsetof(dp_io, length) == 16 && offsetof(dp_io, op) == 28, "dp_io");
_Static_assert(sizeof(dp_done) == 24 && offsetof(dp_done, tag) == 16, "dp_done");
_Static_assert(sizeof(dp_error) == 512 && offsetof(dp_error, text) == 16, "dp_error");
_Static_assert(sizeof(dp_option) == 64 && offsetof(dp_option, min) == 32 && offsetof(dp_option, type) == 48,
               "dp_option");
_Static_assert(sizeof(dp_target) == 40 && offsetof(dp_target, flags) == 24, "dp_target");
_Static_assert(sizeof(dp_region) == 16, "dp_region");
_Static_assert(sizeof(dp_name_op) == 48 && offsetof(dp_name_op, op) == 42, "dp_name_op");
_Static_assert(sizeof(dp_manifest) == 88 && offsetof(dp_manifest, abi_major) == 8 && offsetof(dp_manifest, name) == 16,
               "dp_manifest: the first 16 bytes never change");
_Static_assert(sizeof(dp_queue_params) == 64 && offsetof(dp_queue_params, target_count) == 40, "dp_queue_params");
_Static_assert(sizeof(dp_host) == 56 && offsetof(dp_host, ticks_per_second) == 40, "dp_host");
_Static_assert(sizeof(dp_engine_api) == 88 && offsetof(dp_engine_api, submit) == 56, "dp_engine_api");
_Static_assert(sizeof(dp_target_info) == 280, "dp_target_info");
_Static_assert(DP_EOTHER == 17, "codes keep their numbers");
