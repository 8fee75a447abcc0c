/* The contract between the diskproof runner and an I/O engine: C11, fixed-width types only.
 *
 * An engine is a shared library `diskproof_engine_<name>.so` (.dll) that exports two symbols:
 *
 *     const dp_manifest dp_engine_manifest;                                   (data)
 *     const dp_engine_api *dp_engine_open(const dp_host *host, dp_error *error);
 *
 * Rules on page one
 *   - A queue belongs to one thread: queue_open, submit, submit_names, reap, cancel and queue_close of one queue
 *     are called by one thread only. Different queues of one engine are used by different threads at the same time.
 *     probe, create and destroy are called by one thread while no queue is open.
 *   - submit takes a prefix of its array and returns its length. It never waits for a completion, unless the
 *     manifest says DP_CAP_SYNC. What it took reaches the kernel or server by the next reap, also with min 0.
 *   - Every accepted tag completes exactly once, also after cancel and also when the I/O failed. An I/O that cannot be
 *     started is taken all the same and completes with its error.
 *   - An engine that finishes more than one I/O in a call stamps dp_done.ticks from the host's clock; 0 means
 *     "when reap returned".
 *   - The runner owns all memory: buffers, arrays, strings live as long as the call, regions as long as the queue.
 *   - No C++ type, exception, FILE* or allocation crosses the boundary. Errors are dp_error texts and negative
 *     DP_E* codes.
 *   - Everything is zero-initialised by its writer, so that a field appended by a later minor reads as 0.
 *
 * Versions: dp_io, dp_done, dp_option, dp_target, dp_region and dp_name_op travel in arrays, dp_error, dp_target_info
 * and dp_name_stat are filled by the other side; all are frozen for a whole major. A minor only appends to
 * dp_manifest, dp_host, dp_queue_params and dp_engine_api, each of which carries its size. While abi_major is 0,
 * minors must match exactly.
 */
#ifndef DISKPROOF_ENGINE_ABI_H
#define DISKPROOF_ENGINE_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DP_ABI_MAJOR 0u
#define DP_ABI_MINOR 2u
#define DP_MANIFEST_MAGIC 0x46525044u /* "DPRF" in memory, little-endian */

#define DP_MANIFEST_SYMBOL "dp_engine_manifest"
#define DP_OPEN_SYMBOL "dp_engine_open"

#if defined(_WIN32)
#define DP_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define DP_EXPORT __attribute__((visibility("default")))
#else
#define DP_EXPORT
#endif

/* ---- errors ------------------------------------------------------------------------------------------------ */

/* The result of an operation, negated, in dp_done.result and as the return value of calls. Fixed numbers on every
 * system; engines translate errno, NTSTATUS or protocol errors, and keep the original in dp_error.os_code. */
enum dp_code {
  DP_OK = 0,
  DP_EIO = 1,        /* the medium or the server failed the I/O */
  DP_EINVAL = 2,     /* alignment, length, offset or option not accepted */
  DP_ENOSPC = 3,     /* no space, quota reached */
  DP_ENOENT = 4,     /* no such name */
  DP_EEXIST = 5,     /* the name exists already */
  DP_EACCES = 6,     /* permission denied, read-only */
  DP_ENOMEM = 7,     /* memory or a kernel limit (memlock, aio-max-nr) */
  DP_ENOTSUP = 8,    /* not possible on this target or kernel */
  DP_ETIMEDOUT = 9,  /* the engine's own time limit passed */
  DP_ECANCELED = 10, /* given up because cancel asked for it */
  DP_ENODEV = 11,    /* the device or server is gone */
  DP_EBUSY = 12,     /* in use by somebody else */
  DP_ENOTDIR = 13,   /* a path component is not a directory */
  DP_EISDIR = 14,    /* the name is a directory */
  DP_ENOTEMPTY = 15, /* rmdir of a directory with entries */
  DP_EAUTH = 16,     /* credentials missing or refused */
  DP_EOTHER = 17     /* none of these; os_code and text tell */
};

/* Filled by the engine when a call fails. Caller-owned. */
typedef struct dp_error {
  int32_t code; /* enum dp_code, positive */
  int32_t reserved;
  int64_t os_code; /* errno, GetLastError(), NFS or SMB status; 0 when there is none */
  char text[496];  /* UTF-8, NUL-terminated: what was tried, on what, why it failed */
} dp_error;

/* ---- host services ----------------------------------------------------------------------------------------- */

enum dp_log_level { DP_LOG_DEBUG = 0, DP_LOG_INFO = 1, DP_LOG_WARNING = 2, DP_LOG_ERROR = 3 };

/* Services of the runner, valid from dp_engine_open until the process ends. Every function may be called from any
 * thread. `context` is passed back unchanged as the first argument. */
typedef struct dp_host {
  uint32_t size; /* sizeof(dp_host) of the runner */
  uint32_t reserved;
  void* context;
  /* Writes one line to the runner's log. Not for use per I/O. */
  void (*log)(void* context, int32_t level, const char* utf8);
  /* The clock of every latency, in ticks; never goes back. */
  uint64_t (*now)(void* context);
  /* Returns at or shortly after `ticks`. Engines that wait for a time, not for I/O, do it through this only, so that a
   * simulated clock can be used. */
  void (*wait_until)(void* context, uint64_t ticks);
  uint64_t ticks_per_second; /* > 0 */
  /* UTF-8 path of the run's state folder: content that must outlive a phase's process goes there. NULL when the
   * engine is only probed. */
  const char* state_dir;
} dp_host;

/* ---- options ----------------------------------------------------------------------------------------------- */

enum dp_option_type {
  DP_OPTION_BOOL = 0,     /* "true" or "false" */
  DP_OPTION_INTEGER = 1,  /* decimal, between min and max */
  DP_OPTION_SIZE = 2,     /* bytes, decimal; the job may write 4KiB */
  DP_OPTION_DURATION = 3, /* nanoseconds, decimal; the job may write 5ms */
  DP_OPTION_NUMBER = 4,   /* decimal with an optional fraction */
  DP_OPTION_STRING = 5,
  DP_OPTION_ENUM = 6,     /* one of `choices` */
  DP_OPTION_BANDWIDTH = 7 /* bytes per second, decimal; the job may write 100MB/s */
};
enum dp_option_scope { DP_SCOPE_ENGINE = 0, DP_SCOPE_TARGET = 1, DP_SCOPE_QUEUE = 2 };
enum dp_option_flags { DP_OPTION_SECRET = 1 }; /* never printed, logged or stored */

/* One option that the engine understands. The runner validates, prints and documents options from this table; what
 * reaches the engine is well-formed and in its canonical decimal form. */
typedef struct dp_option {
  const char* name;          /* snake_case */
  const char* help;          /* one sentence */
  const char* default_value; /* canonical form; NULL: no default, the option is absent unless given */
  const char* choices;       /* DP_OPTION_ENUM: "a|b|c", else NULL */
  int64_t min, max;          /* inclusive, for INTEGER, SIZE, DURATION, BANDWIDTH; both 0: no bound */
  uint32_t type;             /* enum dp_option_type */
  uint32_t scope;            /* enum dp_option_scope */
  uint32_t flags;            /* enum dp_option_flags */
  uint32_t reserved;
} dp_option;

/* A given option. `value` is in canonical form. Options with a default are always given. */
typedef struct dp_key_value {
  const char* key;
  const char* value;
} dp_key_value;

/* ---- manifest ---------------------------------------------------------------------------------------------- */

enum dp_capability {
  DP_CAP_SYNC = 1u << 0,        /* submit waits: one I/O at a time, depth is 1 */
  DP_CAP_NO_TARGET = 1u << 1,   /* works on `virtual` disks: needs no file or device */
  DP_CAP_FILES = 1u << 2,       /* works on regular files */
  DP_CAP_DEVICES = 1u << 3,     /* works on block devices */
  DP_CAP_URLS = 1u << 4,        /* the target is a URL that the engine opens itself */
  DP_CAP_NAMES = 1u << 5,       /* submit_names is there */
  DP_CAP_NAMES_BLOCK = 1u << 6, /* submit_names may run some operations by plain calls */
  DP_CAP_STAMPS = 1u << 7       /* fills dp_done.ticks */
};

/* Bit (1u << op) of dp_manifest.operations for each enum dp_op that submit takes. */
enum dp_op {
  DP_OP_READ = 0,
  DP_OP_WRITE = 1,
  DP_OP_TRIM = 2,
  DP_OP_FSYNC = 3,
  DP_OP_FDATASYNC = 4,
  DP_OP_WRITE_ZEROES = 5
};

/* Who the engine is. Constant data: reading it runs no code of the engine. The first 16 bytes never change. */
typedef struct dp_manifest {
  uint32_t magic;         /* DP_MANIFEST_MAGIC */
  uint32_t manifest_size; /* sizeof(dp_manifest) of the engine */
  uint16_t abi_major;     /* DP_ABI_MAJOR */
  uint16_t abi_minor;     /* DP_ABI_MINOR */
  uint32_t reserved;
  const char* name;    /* [a-z][a-z0-9_]*, equal to the file's diskproof_engine_<name> */
  const char* version; /* of the engine */
  const char* summary; /* one line: what it is */
  const dp_option* options;
  uint64_t option_count;
  uint64_t capabilities;        /* enum dp_capability */
  uint64_t operations;          /* mask of enum dp_op */
  uint64_t wait_granularity_ns; /* how far reap may overshoot its timeout */
  uint64_t max_depth;           /* largest dp_queue_params.depth; 0: no limit of its own */
} dp_manifest;

/* ---- targets, buffers, queues ------------------------------------------------------------------------------ */

enum dp_target_flags {
  DP_TARGET_DIRECT = 1u << 0, /* O_DIRECT, FILE_FLAG_NO_BUFFERING */
  DP_TARGET_WRITE = 1u << 1,  /* will be written */
  DP_TARGET_DSYNC = 1u << 2,  /* O_DSYNC, write-through */
  DP_TARGET_SYNC = 1u << 3,   /* O_SYNC */
  DP_TARGET_DEVICE = 1u << 4  /* a block device */
};

typedef struct dp_target {
  uint64_t size;         /* bytes that offsets may reach */
  const char* spec;      /* path, or URL[#path below it], UTF-8; for messages when native_handle is given */
  int64_t native_handle; /* Linux: open descriptor, owned by the runner; -1: the engine opens `spec` itself */
  uint32_t flags;        /* enum dp_target_flags */
  uint32_t option_count;
  const dp_key_value* options; /* scope target, per target */
} dp_target;

/* What the engine knows of an attached target; the runner compares it with what it meant. Unknown fields are 0. */
typedef struct dp_target_info {
  uint64_t size;             /* bytes; 0: unknown */
  uint64_t volume_id;        /* st_dev, volume serial number */
  uint64_t file_id;          /* st_ino, file index, lower half of a 128-bit id */
  uint64_t file_id_high;     /* upper half of a 128-bit id (ReFS), else 0 */
  uint32_t offset_alignment; /* bytes that offsets and lengths must be multiples of; 0: unknown */
  uint32_t memory_alignment; /* bytes that buffers must be aligned to; 0: unknown */
  char description[240];     /* protocol version, server, transfer sizes…; may be empty */
} dp_target_info;

/* Memory that all I/O of a queue stays inside; at most 1 GiB each, page-aligned. dp_io.region names it. */
typedef struct dp_region {
  void* base;
  uint64_t length;
} dp_region;

typedef struct dp_queue_params {
  uint32_t size;       /* sizeof(dp_queue_params) of the runner */
  uint32_t depth;      /* at most so many I/Os in flight; tags are 0 … depth-1 */
  uint64_t max_length; /* longest dp_io.length */
  const dp_target* targets;
  const dp_region* regions;
  const dp_key_value* options; /* scope queue */
  uint32_t target_count;
  uint32_t region_count;
  uint32_t option_count;
  uint32_t queue_index; /* which worker's queue it is, from 0 */
  uint64_t flags;       /* 0 */
} dp_queue_params;

/* One I/O. 32 bytes on every 64-bit system. */
typedef struct dp_io {
  uint64_t offset;   /* bytes from the target's start */
  void* data;        /* inside its region; NULL for trim, write_zeroes, fsync, fdatasync */
  uint32_t length;   /* bytes; 0 for fsync, fdatasync */
  uint32_t tag;      /* 0 … depth-1, not in flight */
  uint16_t target;   /* index into dp_queue_params.targets */
  uint16_t region;   /* index into dp_queue_params.regions */
  uint8_t op;        /* enum dp_op */
  uint8_t flags;     /* 0 */
  uint16_t reserved; /* 0 */
} dp_io;

/* One completion. 24 bytes. */
typedef struct dp_done {
  uint64_t ticks; /* host clock when it was done; 0: the runner stamps after reap */
  int64_t result; /* bytes moved (may be short), or -enum dp_code */
  uint32_t tag;
  uint32_t os_code; /* errno or status behind an error, else 0 */
} dp_done;

/* ---- names ------------------------------------------------------------------------------------------------- */

enum dp_name_op_kind {
  DP_NAME_CREATE = 0,   /* create or open read-write; fails with DP_EEXIST where DP_NAME_EXCLUSIVE is set */
  DP_NAME_OPEN = 1,     /* out: a uint64_t handle for DP_NAME_CLOSE */
  DP_NAME_CLOSE = 2,    /* offset_or_handle: the handle */
  DP_NAME_STAT = 3,     /* out: dp_name_stat */
  DP_NAME_TRUNCATE = 4, /* offset_or_handle: the new size */
  DP_NAME_UNLINK = 5,
  DP_NAME_RENAME = 6, /* path to path2 */
  DP_NAME_MKDIR = 7,
  DP_NAME_RMDIR = 8,
  DP_NAME_READDIR = 9, /* out: NUL-separated names without . and ..; result: bytes used, DP_EINVAL: out too small */
  DP_NAME_SYNC = 10    /* make the entry durable: fsync of the directory, NFS COMMIT */
};
enum dp_name_flags { DP_NAME_EXCLUSIVE = 1 };

typedef struct dp_name_stat {
  uint64_t size, file_id;
  uint32_t is_directory, reserved;
} dp_name_stat;

/* One operation on a name. Completes as a dp_done with its tag; tags share the range of dp_io tags. `path`, `path2`
 * and `out` must stay valid until then. Paths are relative to the target's folder or absolute, as its spec says. */
typedef struct dp_name_op {
  const char* path;
  const char* path2; /* DP_NAME_RENAME only */
  void* out;
  uint64_t offset_or_handle;
  uint32_t out_len;
  uint32_t tag;
  uint16_t target;
  uint8_t op;    /* enum dp_name_op_kind */
  uint8_t flags; /* enum dp_name_flags */
  uint32_t reserved;
} dp_name_op;

/* ---- the table --------------------------------------------------------------------------------------------- */

typedef struct dp_engine dp_engine; /* the engine's own state */
typedef struct dp_queue dp_queue;   /* one worker's queue */

/* Every slot is required unless marked optional. Functions that return int32_t give 0 or a negative dp_code and then
 * fill `error`. */
typedef struct dp_engine_api {
  uint32_t size; /* sizeof(dp_engine_api) of the engine */
  uint32_t reserved;

  /* Can it work on this machine: kernel, library, rights? Tries the real thing once. Leaves nothing behind. */
  int32_t (*probe)(dp_error* error);

  /* Makes an engine from its options of scope engine. DP_EINVAL: these values do not go together, here or anywhere; the
   * text names the options, and the runner shows the line of the first. Any other code: not possible here. A job is
   * planned with a create and a destroy in a process of its own; on a virtual disk a queue is opened there too. */
  int32_t (*create)(const dp_key_value* options, uint32_t option_count, dp_engine** engine, dp_error* error);
  /* Ends it; no queue is open. */
  void (*destroy)(dp_engine* engine);

  /* What the engine knows of a target of an open queue. */
  int32_t (*target_info)(dp_queue* queue, uint32_t target, dp_target_info* info, dp_error* error);

  /* Attaches every target and registers every region. Undoes all of it when it fails. */
  int32_t (*queue_open)(dp_engine* engine, const dp_queue_params* params, dp_queue** queue, dp_error* error);
  /* Only called with nothing in flight. */
  void (*queue_close)(dp_queue* queue);

  /* Takes the first n of `count` I/Os and returns n >= 0 (0: full, reap first), or a negative dp_code that ends the
   * queue. */
  int32_t (*submit)(dp_queue* queue, const dp_io* ios, uint32_t count);
  /* Writes up to `max` completions and returns their number, or a negative dp_code that ends the queue. Waits until
   * `min` are there or timeout_ns passed; may return early with fewer; overshoots by at most wait_granularity_ns.
   * min 0 never waits. */
  int32_t (*reap)(dp_queue* queue, dp_done* done, uint32_t max, uint32_t min, uint64_t timeout_ns);
  /* Asks that the I/O of `tag` end soon. It still completes exactly once. 0, or -DP_ENOTSUP. */
  int32_t (*cancel)(dp_queue* queue, uint32_t tag);

  /* Optional (DP_CAP_NAMES): like submit, for names. */
  int32_t (*submit_names)(dp_queue* queue, const dp_name_op* ops, uint32_t count);
} dp_engine_api;

/* Type of the exported function. Returns NULL and fills `error` when the engine cannot be used with this host. May be
 * called again; an engine keeps the host of the call before its create. */
typedef const dp_engine_api* (*dp_engine_open_fn)(const dp_host* host, dp_error* error);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DISKPROOF_ENGINE_ABI_H */
