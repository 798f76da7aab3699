/* Octet board, C API: checks a blob against a board's name and whitelist of schemes
 * (boards/README.md). It is a pure function over a blob: it does not allocate, makes no OS calls
 * and has no globals. The list may be a constant of the firmware. It may also be a small file
 * beside the model, which can be updated without a new build. */
#ifndef OCTET_BOARD_H_
#define OCTET_BOARD_H_

#include "octet/octet.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bits of octet_board.precisions: types of tensors. Integers (indices, counts, truth values) are
 * not checked. */
#define OCTET_BOARD_INT8 1u
#define OCTET_BOARD_FP16 2u
/* Bits of octet_board.weight_schemes, of int8 weights. Every list allows weights with one scale. A
 * group is 16 neighbouring output channels. */
#define OCTET_BOARD_PER_TENSOR 1u
#define OCTET_BOARD_PER_CHANNEL 2u
#define OCTET_BOARD_GROUP 4u
/* Bits of octet_board.activation_schemes, of int8 tensors. Every list allows symmetric tensors
 * (zero point 0). */
#define OCTET_BOARD_SYMMETRIC 1u
#define OCTET_BOARD_ASYMMETRIC 2u

typedef struct octet_board {
  uint32_t size OCTET_SIZE(octet_board);
  uint32_t precisions, weight_schemes, activation_schemes; /* 0: all are allowed */
  char compatible[24]; /* zero-terminated; a blob for another board is refused. "": not compared */
} octet_board;

typedef uint32_t octet_board_rule;
enum {
  OCTET_BOARD_OK = 0,
  OCTET_BOARD_NAME = 1,       /* made for another board */
  OCTET_BOARD_PRECISION = 2,  /* the type of a tensor is not allowed */
  OCTET_BOARD_WEIGHTS = 3,    /* a layer's channels have more scales than allowed */
  OCTET_BOARD_ACTIVATIONS = 4 /* a tensor, or a value inside a layer, has a zero point */
};

/* The first broken rule and its place. In each plan the rules are checked in the order above. */
typedef struct octet_board_finding {
  uint32_t size OCTET_SIZE(octet_board_finding);
  octet_board_rule rule;
  uint32_t plan;
  uint32_t precision; /* of OCTET_BOARD_PRECISION: the bit that is missing */
  int32_t zero_point; /* of OCTET_BOARD_ACTIVATIONS */
  char board[25];     /* of OCTET_BOARD_NAME: that of the blob; else "" */
  const char* where;  /* name of the tensor (of WEIGHTS: of the layer), in the blob; else "" */
} octet_board_finding;

/* blob: octet_validate, octet_bind or octet_arena_bytes must have accepted these plans of it
 * before. The check reads the plans, not what the blob says of itself. plan_mask: bit p stands for
 * plan p; 0: all. OCTET_OK: `rule` has the answer. OCTET_INVALID_ARGUMENT: `board` or `finding` has
 * no size, or the blob has no such plan. Other codes: an error in header or sections. */
OCTET_API octet_status octet_board_check(const void* blob, size_t blob_bytes, uint32_t plan_mask,
                                         const octet_board* board, octet_board_finding* finding);

#ifdef __cplusplus
}
#endif

#endif /* OCTET_BOARD_H_ */
