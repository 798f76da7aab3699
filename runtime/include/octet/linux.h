/* Octet on Linux, C API: opens a blob's file as a session in one call. It gives octet.h what that
 * needs: the blob's bytes in memory of its own, with their hashes checked, the best instruction set
 * of the machine, threads, and an arena. Use the calls of octet.h with the session. The functions
 * at the end give only instruction set and threads, for programs that call octet_bind themselves.
 *
 *   octet_linux_open -> octet_linux_session -> { octet_set_input_* -> octet_run -> ... }* ->
 *   octet_linux_close
 *
 * These functions are in liboctet.so, and in liboctet_port_linux.a for programs that link
 * liboctet_runtime.a (octet::port_linux, octet_port_linux.pc; it needs the C++ library). They throw
 * no C++ exceptions. A model is not thread-safe. Several models are independent. Threads do not
 * survive fork(), so open the model in the child. */
#ifndef OCTET_LINUX_H_
#define OCTET_LINUX_H_

#include "octet/octet.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct octet_linux octet_linux; /* an open model */

/* Bits of octet_linux_options.flags. */
#define OCTET_LINUX_NO_VERIFY 1u /* skip the SHA-256 check of the file */
#define OCTET_LINUX_MAP 2u       /* run from the mapped file, for files that are not written to */

typedef struct octet_linux_options {
  uint32_t size OCTET_SIZE(octet_linux_options);
  const char* isa;         /* a name of octet_isa_name; NULL: the best of this machine */
  const char* plan;        /* name of a plan; NULL: the blob's first */
  uint32_t threads;        /* 1 to 256, the caller of octet_run included; 0: one */
  uint32_t flags;          /* OCTET_LINUX_* */
  uint64_t (*ticks)(void); /* clock for octet_layer_info.ticks, or NULL */
} octet_linux_options;

/* Reads the file, checks it completely, binds it and starts its threads. options: NULL for the
 * defaults. On failure it returns NULL and writes one line to `error`: what happened, where, and
 * what to do. The line is zero-terminated and cut to error_bytes (512 are enough for most). error
 * may be NULL with error_bytes 0. */
OCTET_API octet_linux* octet_linux_open(const char* path, const octet_linux_options* options,
                                        char* error, size_t error_bytes);
/* Stops the threads and frees everything, also the session. NULL: nothing happens. */
OCTET_API void octet_linux_close(octet_linux* model);
/* Lives as long as the model. */
OCTET_API octet_session* octet_linux_session(const octet_linux* model);

/* Use it instead of octet_set_plan. Weights that no earlier plan needed are not in memory, and
 * octet_set_plan refuses such a plan. This call reads the weights and checks their hash.
 * OCTET_CORRUPT: the file has changed since it was opened. The plan stays as it was. */
OCTET_API octet_status octet_linux_set_plan(octet_linux* model, uint32_t plan);

OCTET_API octet_isa octet_linux_isa(const octet_linux* model);
OCTET_API uint32_t octet_linux_threads(const octet_linux* model);
OCTET_API size_t octet_linux_arena_bytes(const octet_linux* model);
OCTET_API size_t octet_linux_blob_bytes(const octet_linux* model);
/* Of the blob's decoder: the input whose picture the boxes of octet_detect are in, and the largest
 * number of detections. Both are 0 without a decoder. */
OCTET_API uint32_t octet_linux_decode_input(const octet_linux* model);
OCTET_API uint32_t octet_linux_max_detections(const octet_linux* model);

/* 1: this build and this machine have the level. */
OCTET_API int octet_linux_can_run(octet_isa isa);
/* The highest level that can run. */
OCTET_API octet_isa octet_linux_best_isa(void);
/* The OCTET_VERIFY_* of this machine, for octet_config and octet_validate: SHA-256 instructions
 * where it has them. */
OCTET_API uint32_t octet_linux_verify_mode(void);
/* The OCTET_CPU_* of this machine, for octet_config. */
OCTET_API uint64_t octet_linux_cpu_features(void);

/* Starts threads for octet_config.pool, 1 to 256, the caller of octet_run included. A waiting
 * thread spins for a short time, then sleeps. The program's signals do not go to these threads.
 * NULL: another number, or the system has no thread or no memory. Call octet_linux_best_isa before:
 * on a machine with AMX it asks the kernel for registers, which must happen before threads start.
 */
typedef struct octet_linux_pool octet_linux_pool;
OCTET_API octet_linux_pool* octet_linux_pool_start(uint32_t threads);
/* Lives as long as the pool. Sessions may share it, one octet_run at a time. */
OCTET_API const octet_pool* octet_linux_pool_get(const octet_linux_pool* pool);
/* Ends the threads. No octet_run may be using them. NULL: nothing happens. */
OCTET_API void octet_linux_pool_stop(octet_linux_pool* pool);

/* "0.1.0" */
OCTET_API const char* octet_linux_version(void);

#ifdef __cplusplus
}
#endif

#endif /* OCTET_LINUX_H_ */
