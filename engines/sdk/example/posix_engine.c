/* posix: an example of an engine in C alone. One I/O at a time by pread and pwrite, on files and block devices. */
#define _GNU_SOURCE /* O_DIRECT */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <diskproof/engine_abi.h>

struct dp_engine {
  const dp_host* host;
};

typedef struct target {
  int descriptor;
  bool owned;    /* opened here, not by the runner */
  uint64_t size; /* bytes that offsets may reach */
} target;

struct dp_queue {
  const dp_host* host;
  dp_done done; /* of the I/O that was taken last */
  bool waiting; /* done is not handed over yet */
  uint32_t target_count;
  target targets[];
};

static const dp_host* current_host; /* of the latest dp_engine_open */

static enum dp_code code_of(int number) {
  switch (number) {
    case EINVAL:
      return DP_EINVAL;
    case EFBIG:
    case EDQUOT:
    case ENOSPC:
      return DP_ENOSPC;
    case ENOENT:
      return DP_ENOENT;
    case EBADF: /* a descriptor without the right asked for */
    case EROFS:
    case EPERM:
    case EACCES:
      return DP_EACCES;
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      return DP_ENOMEM;
    case EOPNOTSUPP:
      return DP_ENOTSUP;
    case ENODEV:
    case ENXIO:
      return DP_ENODEV;
    case EBUSY:
      return DP_EBUSY;
    case EIO:
      return DP_EIO;
    default:
      return DP_EOTHER;
  }
}

/* Says what was tried and why it failed; the value to return. */
static int32_t fail(dp_error* error, enum dp_code code, int number, const char* tried, const char* on) {
  memset(error, 0, sizeof *error);
  error->code = (int32_t)code;
  error->os_code = number;
  snprintf(error->text, sizeof error->text, "%s %s: %s", tried, on, number != 0 ? strerror(number) : "not possible");
  return -(int32_t)code;
}

static int32_t probe(dp_error* error) {
  (void)error;
  return 0;
}

static int32_t create(const dp_key_value* options, uint32_t count, dp_engine** engine, dp_error* error) {
  (void)options, (void)count; /* it has none */
  *engine = malloc(sizeof **engine);
  if (*engine == NULL) return fail(error, DP_ENOMEM, ENOMEM, "create", "engine posix");
  (*engine)->host = current_host;
  return 0;
}

static void destroy(dp_engine* engine) { free(engine); }

static void queue_close(dp_queue* queue) {
  for (uint32_t i = 0; i < queue->target_count; ++i)
    if (queue->targets[i].owned) close(queue->targets[i].descriptor);
  free(queue);
}

static int open_target(const dp_target* given, target* opened) {
  opened->size = given->size;
  opened->owned = given->native_handle < 0;
  opened->descriptor = (int)given->native_handle;
  if (!opened->owned) return 0;
  int flags = O_CLOEXEC | O_NOFOLLOW | ((given->flags & DP_TARGET_WRITE) != 0 ? O_RDWR : O_RDONLY);
  if ((given->flags & DP_TARGET_DIRECT) != 0) flags |= O_DIRECT;
  if ((given->flags & DP_TARGET_DSYNC) != 0) flags |= O_DSYNC;
  if ((given->flags & DP_TARGET_SYNC) != 0) flags |= O_SYNC;
  opened->descriptor = open(given->spec, flags);
  return opened->descriptor < 0 ? errno : 0;
}

/* Undoes all of it when one target does not open. */
static int32_t queue_open(dp_engine* engine, const dp_queue_params* params, dp_queue** queue, dp_error* error) {
  if (params->depth != 1) return fail(error, DP_EINVAL, EINVAL, "queue_open", "with more than one I/O at a time");
  dp_queue* made = calloc(1, sizeof *made + params->target_count * sizeof(target));
  if (made == NULL) return fail(error, DP_ENOMEM, ENOMEM, "queue_open", "engine posix");
  made->host = engine->host;
  for (uint32_t i = 0; i < params->target_count; ++i) {
    const int number = open_target(&params->targets[i], &made->targets[i]);
    if (number != 0) {
      queue_close(made);
      return fail(error, code_of(number), number, "open", params->targets[i].spec);
    }
    ++made->target_count;
  }
  *queue = made;
  return 0;
}

static int32_t target_info(dp_queue* queue, uint32_t index, dp_target_info* info, dp_error* error) {
  memset(info, 0, sizeof *info);
  struct stat status;
  if (index >= queue->target_count)
    return fail(error, DP_EINVAL, EINVAL, "target_info", "of a target that is not there");
  if (fstat(queue->targets[index].descriptor, &status) != 0)
    return fail(error, code_of(errno), errno, "fstat", "target");
  info->size = S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
  info->volume_id = status.st_dev;
  info->file_id = status.st_ino;
  return 0;
}

/* Bytes moved, which the system may make fewer, or -errno. */
static int64_t run(const dp_queue* queue, const dp_io* io) {
  if (io->target >= queue->target_count) return -EINVAL;
  const int descriptor = queue->targets[io->target].descriptor;
  int64_t result = -1;
  do {
    switch (io->op) {
      case DP_OP_READ:
        result = pread(descriptor, io->data, io->length, (off_t)io->offset);
        break;
      case DP_OP_WRITE:
        result = pwrite(descriptor, io->data, io->length, (off_t)io->offset);
        break;
      case DP_OP_FSYNC:
        result = fsync(descriptor);
        break;
      case DP_OP_FDATASYNC:
        result = fdatasync(descriptor);
        break;
      default:
        errno = EOPNOTSUPP;
    }
  } while (result < 0 && errno == EINTR);
  return result < 0 ? -errno : result;
}

/* A failed I/O is taken too and completes with its error. */
static int32_t submit(dp_queue* queue, const dp_io* ios, uint32_t count) {
  if (count == 0 || queue->waiting) return 0;
  const int64_t result = run(queue, &ios[0]);
  queue->done = (dp_done){.result = result, .tag = ios[0].tag};
  if (result < 0) {
    queue->done.result = -(int64_t)code_of((int)-result);
    queue->done.os_code = (uint32_t)-result;
  }
  queue->waiting = true;
  return 1;
}

static int32_t reap(dp_queue* queue, dp_done* done, uint32_t max, uint32_t min, uint64_t timeout_ns) {
  if (queue->waiting && max > 0) {
    done[0] = queue->done;
    queue->waiting = false;
    return 1;
  }
  const dp_host* host = queue->host;
  if (!queue->waiting && min > 0) {
    const double ticks = (double)timeout_ns * (double)host->ticks_per_second / 1e9;
    host->wait_until(host->context, host->now(host->context) + (uint64_t)ticks);
  }
  return 0;
}

static int32_t cancel(dp_queue* queue, uint32_t tag) {
  (void)queue, (void)tag;
  return -DP_ENOTSUP;
}

DP_EXPORT extern const dp_manifest dp_engine_manifest;
const dp_manifest dp_engine_manifest = {
    .magic = DP_MANIFEST_MAGIC,
    .manifest_size = sizeof(dp_manifest),
    .abi_major = DP_ABI_MAJOR,
    .abi_minor = DP_ABI_MINOR,
    .name = "posix",
    .version = "1.0.0",
    .summary = "example: pread and pwrite, in C alone",
    .capabilities = DP_CAP_SYNC | DP_CAP_FILES | DP_CAP_DEVICES,
    .operations = 1u << DP_OP_READ | 1u << DP_OP_WRITE | 1u << DP_OP_FSYNC | 1u << DP_OP_FDATASYNC,
    .max_depth = 1,
};

DP_EXPORT const dp_engine_api* dp_engine_open(const dp_host* host, dp_error* error);
const dp_engine_api* dp_engine_open(const dp_host* host, dp_error* error) {
  static const dp_engine_api table = {.size = sizeof(dp_engine_api),
                                      .probe = probe,
                                      .create = create,
                                      .destroy = destroy,
                                      .target_info = target_info,
                                      .queue_open = queue_open,
                                      .queue_close = queue_close,
                                      .submit = submit,
                                      .reap = reap,
                                      .cancel = cancel};
  if (host->size < sizeof(dp_host)) {
    fail(error, DP_ENOTSUP, 0, "dp_engine_open", "for an older runner");
    return NULL;
  }
  current_host = host;
  return &table;
}
