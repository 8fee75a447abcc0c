/* A correct engine, unless a macro of its build makes one thing wrong. */
#include <stddef.h>
#include <string.h>

#include <diskproof/engine_abi.h>

#ifndef MANIFEST_NAME
#define MANIFEST_NAME dp_engine_manifest
#endif
#ifndef OPEN_NAME
#define OPEN_NAME dp_engine_open
#endif
#ifndef MAGIC
#define MAGIC DP_MANIFEST_MAGIC
#endif
#ifndef MAJOR
#define MAJOR DP_ABI_MAJOR
#endif
#ifndef MINOR
#define MINOR DP_ABI_MINOR
#endif
#ifndef MANIFEST_SIZE
#define MANIFEST_SIZE sizeof(dp_manifest)
#endif
#ifndef NAME
#define NAME "wrong"
#endif
#ifndef VERSION
#define VERSION "1"
#endif
#ifndef SUMMARY
#define SUMMARY "wrong in one way"
#endif
#ifndef CAPABILITIES
#define CAPABILITIES DP_CAP_FILES
#endif
#ifndef OPERATIONS
#define OPERATIONS 1
#endif
#ifndef OPTIONS
#define OPTIONS options
#endif
#ifndef OPTION_COUNT
#define OPTION_COUNT 2
#endif
#ifndef OPTION_NAME
#define OPTION_NAME "chunk"
#endif
#ifndef OPTION_HELP
#define OPTION_HELP "a size"
#endif
#ifndef OPTION_TYPE
#define OPTION_TYPE DP_OPTION_SIZE
#endif
#ifndef OPTION_SCOPE
#define OPTION_SCOPE DP_SCOPE_ENGINE
#endif
#ifndef OPTION_FLAGS
#define OPTION_FLAGS 0
#endif
#ifndef OPTION_MIN
#define OPTION_MIN 1
#endif
#ifndef OPTION_CHOICES
#define OPTION_CHOICES NULL
#endif
#ifndef OPTION_DEFAULT
#define OPTION_DEFAULT NULL
#endif
#ifndef OPEN_RESULT
#define OPEN_RESULT &table
#endif
#ifndef OPEN_TEXT
#define OPEN_TEXT ""
#endif
#ifndef API_SIZE
#define API_SIZE sizeof(dp_engine_api)
#endif
#ifndef PROBE
#define PROBE wrong_probe
#endif
#ifndef CREATE
#define CREATE wrong_create
#endif
#ifndef DESTROY
#define DESTROY wrong_destroy
#endif
#ifndef TARGET_INFO
#define TARGET_INFO wrong_target_info
#endif
#ifndef QUEUE_OPEN
#define QUEUE_OPEN wrong_queue_open
#endif
#ifndef QUEUE_CLOSE
#define QUEUE_CLOSE wrong_queue_close
#endif
#ifndef SUBMIT
#define SUBMIT wrong_submit
#endif
#ifndef REAP
#define REAP wrong_reap
#endif
#ifndef CANCEL
#define CANCEL wrong_cancel
#endif
#ifndef SUBMIT_NAMES
#define SUBMIT_NAMES NULL
#endif

#ifdef UNDEFINED
extern int UNDEFINED(void);
#else
static int present(void) { return 0; }
#define UNDEFINED present
#endif

#define UNUSED(x) (void)(x)

int32_t wrong_probe(dp_error* error) { return UNUSED(error), UNDEFINED(); }
int32_t wrong_create(const dp_key_value* given, uint32_t count, dp_engine** engine, dp_error* error) {
  return UNUSED(given), UNUSED(count), UNUSED(engine), UNUSED(error), -DP_ENOTSUP;
}
void wrong_destroy(dp_engine* engine) { UNUSED(engine); }
int32_t wrong_target_info(dp_queue* queue, uint32_t target, dp_target_info* info, dp_error* error) {
  return UNUSED(queue), UNUSED(target), UNUSED(info), UNUSED(error), -DP_ENOTSUP;
}
int32_t wrong_queue_open(dp_engine* engine, const dp_queue_params* params, dp_queue** queue, dp_error* error) {
  return UNUSED(engine), UNUSED(params), UNUSED(queue), UNUSED(error), -DP_ENOTSUP;
}
void wrong_queue_close(dp_queue* queue) { UNUSED(queue); }
int32_t wrong_submit(dp_queue* queue, const dp_io* ios, uint32_t count) {
  return UNUSED(queue), UNUSED(ios), UNUSED(count), 0;
}
int32_t wrong_reap(dp_queue* queue, dp_done* done, uint32_t max, uint32_t min, uint64_t timeout_ns) {
  return UNUSED(queue), UNUSED(done), UNUSED(max), UNUSED(min), UNUSED(timeout_ns), 0;
}
int32_t wrong_cancel(dp_queue* queue, uint32_t tag) { return UNUSED(queue), UNUSED(tag), -DP_ENOTSUP; }
int32_t wrong_submit_names(dp_queue* queue, const dp_name_op* ops, uint32_t count) {
  return UNUSED(queue), UNUSED(ops), UNUSED(count), 0;
}

const dp_engine_api table = {API_SIZE,   0,           PROBE,  CREATE, DESTROY, TARGET_INFO,
                             QUEUE_OPEN, QUEUE_CLOSE, SUBMIT, REAP,   CANCEL,  SUBMIT_NAMES};

const dp_option options[2] = {{OPTION_NAME, OPTION_HELP, OPTION_DEFAULT, OPTION_CHOICES, OPTION_MIN, 8, OPTION_TYPE,
                               OPTION_SCOPE, OPTION_FLAGS, 0},
                              {"other", "a word", NULL, NULL, 0, 0, DP_OPTION_STRING, DP_SCOPE_ENGINE, 0, 0}};

DP_EXPORT extern const dp_manifest MANIFEST_NAME;
const dp_manifest MANIFEST_NAME = {MAGIC,   MANIFEST_SIZE, MAJOR,        MINOR,        0,          NAME, VERSION,
                                   SUMMARY, OPTIONS,       OPTION_COUNT, CAPABILITIES, OPERATIONS, 0,    0};

DP_EXPORT const dp_engine_api* OPEN_NAME(const dp_host* host, dp_error* error);
const dp_engine_api* OPEN_NAME(const dp_host* host, dp_error* error) {
  UNUSED(host);
  error->code = DP_ENOTSUP;
  memcpy(error->text, OPEN_TEXT, sizeof(OPEN_TEXT));
  return OPEN_RESULT;
}
