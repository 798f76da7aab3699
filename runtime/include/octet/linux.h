/* Octet on Linux, C API: a blob from its file to a session in one call. It brings what octet.h asks
 * of its caller: the blob's bytes in memory of its own, hashed; the best instruction set of the
 * machine; threads; an arena. octet.h does the rest with the session. For programs that bind
 * themselves, instruction set and threads alone stand at the end.
 *
 *   octet_linux_open -> octet_linux_session -> { octet_set_input_* -> octet_run -> ... }* ->
 *   octet_linux_close
 *
 * These functions are in liboctet.so, and in liboctet_port_linux.a for programs that link
 * liboctet_runtime.a (octet::port_linux, octet_port_linux.pc; it needs the C++ library). No C++
 * exception leaves them. One model is not thread-safe; several are independent. Threads do not
 * survive fork(): open in the child. */
#ifndef OCTET_LINUX_H_
#define OCTET_LINUX_H_

#include "octet/octet.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct octet_linux octet_linux; /* an open model */

/* Bits of octet_linux_options.flags. */
#define OCTET_LINUX_NO_VERIFY 1u /* skip the SHA-256 check of the file */
#define OCTET_LINUX_MAP 2u       /* run the file where it lies: for storage nobody writes to */

typedef struct octet_linux_options {
  uint32_t size OCTET_SIZE(octet_linux_options);
  const char* isa;         /* a word of octet_isa_name; NULL: the best of this machine */
  const char* plan;        /* by name; NULL: the blob's first */
  uint32_t threads;        /* 1 to 256, the caller of octet_run included; 0: one */
  uint32_t flags;          /* OCTET_LINUX_* */
  uint64_t (*ticks)(void); /* clock for octet_layer_info.ticks, or NULL */
} octet_linux_options;

/* Reads the file, checks it completely, binds it and starts its threads. options: NULL for the
 * defaults. NULL on failure, and then one line in `error`, always terminated and cut to error_bytes
 * (512 hold most; NULL with 0 where nobody asks): what, where, what to do. */
OCTET_API octet_linux* octet_linux_open(const char* path, const octet_linux_options* options,
                                        char* error, size_t error_bytes);
/* Stops the threads and frees everything, the session included. NULL: nothing happens. */
OCTET_API void octet_linux_close(octet_linux* model);
/* Lives as long as the model. */
OCTET_API octet_session* octet_linux_session(const octet_linux* model);

/* Instead of octet_set_plan, which refuses a plan whose weights are not in memory, as those are
 * that no plan before needed. Reads and hashes them. OCTET_CORRUPT: the file has changed since it
 * was opened; the plan stays as it was. */
OCTET_API octet_status octet_linux_set_plan(octet_linux* model, uint32_t plan);

OCTET_API octet_isa octet_linux_isa(const octet_linux* model);
OCTET_API uint32_t octet_linux_threads(const octet_linux* model);
OCTET_API size_t octet_linux_arena_bytes(const octet_linux* model);
OCTET_API size_t octet_linux_blob_bytes(const octet_linux* model);
/* Of the blob's decoder: the input whose picture octet_detect speaks of, and the most detections it
 * gives; both 0 without one. */
OCTET_API uint32_t octet_linux_decode_input(const octet_linux* model);
OCTET_API uint32_t octet_linux_max_detections(const octet_linux* model);

/* 1: in this build and on this machine. */
OCTET_API int octet_linux_can_run(octet_isa isa);
/* The highest level that can run. */
OCTET_API octet_isa octet_linux_best_isa(void);
/* The OCTET_VERIFY_* of this machine, for octet_config and octet_validate: SHA-256 instructions
 * where it has them. */
OCTET_API uint32_t octet_linux_verify_mode(void);
/* The OCTET_CPU_* of this machine, for octet_config. */
OCTET_API uint64_t octet_linux_cpu_features(void);

/* Threads for octet_config.pool, started once: 1 to 256, the caller of octet_run included. Waiting
 * ones spin for a short while, then sleep; signals of the program do not go to them. NULL: another
 * number, or the system gives no thread or no memory. Ask for the best instruction set before: with
 * AMX that asks the kernel for registers, which is to happen before threads start. */
typedef struct octet_linux_pool octet_linux_pool;
OCTET_API octet_linux_pool* octet_linux_pool_start(uint32_t threads);
/* Lives as long as the pool. Sessions may share it, one octet_run at a time. */
OCTET_API const octet_pool* octet_linux_pool_get(const octet_linux_pool* pool);
/* Ends the threads; no octet_run with them is under way. NULL: nothing happens. */
OCTET_API void octet_linux_pool_stop(octet_linux_pool* pool);

/* "0.1.0" */
OCTET_API const char* octet_linux_version(void);

#ifdef __cplusplus
}
#endif

#endif /* OCTET_LINUX_H_ */
