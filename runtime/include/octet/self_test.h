/* Octet self-test, C API: compares this machine, build and blob with the converter, bit for bit, by
 * golden vectors in the blob. Run it before a model is used. It does not allocate. See FORMAT.md,
 * "Golden section". */
#ifndef OCTET_SELF_TEST_H_
#define OCTET_SELF_TEST_H_

#include "octet/octet.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The number of golden vectors in the blob, 0 to 64. A malformed section counts as one vector, and
 * octet_self_test refuses it. */
OCTET_API uint32_t octet_golden_count(const octet_session* session);
/* Size of the working memory of octet_golden_set and octet_self_test; 0: give NULL. */
OCTET_API size_t octet_golden_bytes(const octet_session* session);
/* Sets every input of the current plan to that of a vector. memory: octet_golden_bytes, 64-byte
 * aligned. OCTET_INVALID_ARGUMENT: no such vector, or no memory. OCTET_MALFORMED: the section
 * breaks a rule (status.offset: its byte in the blob). */
OCTET_API octet_status octet_golden_set(octet_session* session, uint32_t vector, void* memory);

/* SHA-256 over the bytes of an output's parts after the last octet_run: int8 as signed bytes,
 * halves and int32 little-endian. Equal outputs have equal digests on every level.
 * OCTET_INVALID_ARGUMENT: no such output. */
OCTET_API octet_status octet_output_digest(const octet_session* session, uint32_t output,
                                           uint8_t digest[32]);

typedef struct octet_self_test_result {
  uint32_t size OCTET_SIZE(octet_self_test_result);
  uint32_t vectors;        /* number of vectors that were run; 0: the blob has none */
  uint32_t vector, output; /* of the first difference */
  uint8_t expected[32], found[32];
} octet_self_test_result;

/* Runs all vectors of the current plan, as with octet_config.float_sums. The inputs must be set
 * again. OCTET_OK: every output is equal, or there are no vectors. OCTET_CORRUPT: an output
 * differs, and `result` says which. OCTET_MALFORMED and OCTET_INVALID_ARGUMENT: as
 * octet_golden_set. OCTET_CANCELLED: as octet_run. */
OCTET_API octet_status octet_self_test(octet_session* session, void* memory,
                                       octet_self_test_result* result);

#ifdef __cplusplus
}
#endif

#endif /* OCTET_SELF_TEST_H_ */
