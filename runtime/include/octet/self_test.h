/* Octet self-test, C API: golden vectors that travel with a blob prove that this machine, this
 * build and these bytes give what the converter measured, bit for bit, before a model is switched
 * to. Nothing is allocated. FORMAT.md, "Golden section". */
#ifndef OCTET_SELF_TEST_H_
#define OCTET_SELF_TEST_H_

#include "octet/octet.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Golden vectors of the blob: 0 to 64. What is malformed counts as one, which octet_self_test
 * refuses. */
OCTET_API uint32_t octet_golden_count(const octet_session* session);
/* Working memory of the two calls below; 0: they take NULL. */
OCTET_API size_t octet_golden_bytes(const octet_session* session);
/* Sets every input of the current plan to those of a vector. memory: octet_golden_bytes, 64-byte
 * aligned. OCTET_INVALID_ARGUMENT: no such vector, no memory; OCTET_MALFORMED: the section breaks a
 * rule (offset in the blob). */
OCTET_API octet_status octet_golden_set(octet_session* session, uint32_t vector, void* memory);

/* SHA-256 over the bytes of an output's parts as the last octet_run left them: int8 as signed
 * bytes, halves and int32 little-endian; equal on every level where the outputs are.
 * OCTET_INVALID_ARGUMENT: no such output. */
OCTET_API octet_status octet_output_digest(const octet_session* session, uint32_t output,
                                           uint8_t digest[32]);

typedef struct octet_self_test_result {
  uint32_t size OCTET_SIZE(octet_self_test_result);
  uint32_t vectors;        /* that were run; 0: the blob has none */
  uint32_t vector, output; /* of the first difference */
  uint8_t expected[32], found[32];
} octet_self_test_result;

/* Runs all vectors of the current plan, as with octet_config.float_sums; inputs have to be set
 * again. OCTET_OK: every output is what it should be, or there are no vectors. OCTET_CORRUPT: one
 * is not, and result says which. OCTET_MALFORMED, OCTET_INVALID_ARGUMENT as octet_golden_set;
 * OCTET_CANCELLED as octet_run. */
OCTET_API octet_status octet_self_test(octet_session* session, void* memory,
                                       octet_self_test_result* result);

#ifdef __cplusplus
}
#endif

#endif /* OCTET_SELF_TEST_H_ */
