/* Octet temporal filters, C API: tensors of an int8 plan are blended with their values in earlier
 * frames. This reduces values that flicker by a step where nothing moved. The filters are in the
 * blob (octet convert --temporal). docs/temporal.md has their gains and losses.
 *
 *   octet_bind(plan_mask | OCTET_WITH_TEMPORAL) -> octet_run*
 *
 * The filters are then part of the session and of its state (octet/state.h). The other way has the
 * filters in memory of the caller, who calls them; they are no part of the state:
 *
 *   octet_temporal_bytes -> memory -> octet_temporal_init -> { octet_run, with octet_temporal_apply
 *   from before_layer -> octet_temporal_apply }*
 *
 * For a tensor with bytes x (as q + 128) and a layer's weights w, multiples of 2^-15:
 *
 *   y[t] = floor(x[t] + sum over k = 1 .. frames - 1 of w[k] * (g(x[t - k]) - x[t]) + 1/2)
 *
 * g(x) = x where it is at most `gate` steps from x[t], else x[t]. Frames before the first count as
 * x[t]. The w[k] are not negative and add up to at most 1. So a constant stays the same (gain 1),
 * and no result leaves the range. The arithmetic is in integers: the same bits on every level. */
#ifndef OCTET_TEMPORAL_H_
#define OCTET_TEMPORAL_H_

#include "octet/octet.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct octet_temporal octet_temporal; /* lives in the caller's memory */

#define OCTET_TEMPORAL_FRAMES 10u /* the most frames of a filter, the present one included */

typedef struct octet_temporal_layer {
  uint32_t size OCTET_SIZE(octet_temporal_layer);
  uint32_t plan, layer;                         /* the layer that writes the tensor */
  uint32_t frames;                              /* 2 to OCTET_TEMPORAL_FRAMES */
  uint32_t weights[OCTET_TEMPORAL_FRAMES - 1u]; /* 2^-15, of the newest frame before first */
  uint32_t gate;                                /* int8 steps; 255: everything passes */
  uint32_t cut;                                 /* mean change of a byte, in 1/256 step */
  float noise; /* RMS of the tensor's error over that of its signal, at conversion */
  size_t tensor_bytes;
  uint32_t held; /* earlier frames that are in the cache now */
  uint32_t cuts; /* frames since init that changed so much that the filter restarted; wraps */
} octet_temporal_layer;

/* Add it to octet_config.plan_mask and to the plan_mask of octet_arena_bytes: the arena then holds
 * the filters, and octet_run and octet_run_layer apply them. Each filter has memory for one frame
 * more than below, so that a frame that is cancelled has changed nothing. */
#define OCTET_WITH_TEMPORAL 0x40000000u

/* The filters of a session, for octet_temporal_reset, _count and _info. OCTET_INVALID_ARGUMENT: it
 * was bound without OCTET_WITH_TEMPORAL, or its blob has no filters. OCTET_MALFORMED: the blob's
 * temporal section, or a part that it refers to, breaks a rule. Then no filter runs. */
OCTET_API octet_status octet_temporal_bound(const octet_session* session,
                                            octet_temporal** temporal);

/* Size of the memory for a blob's filters: the cached tensors and some state. 0: the blob has no
 * filters. OCTET_MALFORMED: its temporal section, or a part that it refers to, breaks a rule. */
OCTET_API octet_status octet_temporal_bytes(const void* blob, size_t blob_bytes, size_t* bytes);

/* memory: 64-byte aligned. The caller keeps it as long as the filters are used. The blob is not
 * needed after this call. OCTET_INVALID_ARGUMENT: the blob has no filters. OCTET_ARENA_TOO_SMALL,
 * OCTET_MISALIGNED: the memory. OCTET_MALFORMED: as above. */
OCTET_API octet_status octet_temporal_init(void* memory, size_t memory_bytes, const void* blob,
                                           size_t blob_bytes, octet_temporal** temporal);

/* Call it from octet_config.before_layer with its layer, and after octet_run with
 * octet_layer_count. At that time the layer before has just written its tensor. The filter restarts
 * if the plan or the tensor's scale has changed since the last call. A session of another blob is
 * not changed. Runs aside (octet/state.h) are no frames: nothing happens. */
OCTET_API void octet_temporal_apply(octet_temporal* temporal, octet_session* session,
                                    uint32_t layer);

/* Forgets all frames, as after the camera was moved. */
OCTET_API void octet_temporal_reset(octet_temporal* temporal);

OCTET_API uint32_t octet_temporal_count(const octet_temporal* temporal);
/* OCTET_INVALID_ARGUMENT: no such filter. */
OCTET_API octet_status octet_temporal_info(const octet_temporal* temporal, uint32_t index,
                                           octet_temporal_layer* layer);

#ifdef __cplusplus
}
#endif

#endif /* OCTET_TEMPORAL_H_ */
