/* Octet state, C API: what a session keeps from frame to frame. It is one block of the arena, whose
 * parts are the states of the model, and those of the features that the session was bound with
 * (bits OCTET_WITH_* of octet_config.plan_mask). A session without both has no state.
 *
 * A state of the model is an output that is the next frame's input (octet convert --state). It is
 * no input and no output of the blob. Every session of the blob has its own. All plans read and
 * write the same state, so a plan may be changed between any two frames.
 *
 * A frame is one octet_run, or octet_run_layer for all layers in order. Its changes to the state
 * count when its last layer has run. A frame that is cancelled, or that is not completed before the
 * next one begins, leaves the state as it was. Before each frame `frame_bytes` are copied. */
#ifndef OCTET_STATE_H_
#define OCTET_STATE_H_

#include "octet/octet.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct octet_state_info {
  uint32_t size OCTET_SIZE(octet_state_info);
  size_t bytes;       /* of a copy (octet_state_get); 0: the session has no state */
  size_t frame_bytes; /* copied before each frame, and once more if the frame is cancelled */
  size_t arena_bytes; /* of the arena for features: state, its copy, and what is no state */
} octet_state_info;
OCTET_API octet_status octet_state_describe(const octet_session* session, octet_state_info* info);

/* A copy of the state, `bytes` long: one memcpy. Between frames, or within a frame or a run aside:
 * then it is the state from before. It is valid for sessions of the same blob and features on
 * machines of the same word size. OCTET_INVALID_ARGUMENT: another size. */
OCTET_API octet_status octet_state_get(const octet_session* session, void* memory, size_t bytes);
/* Sets the state between two frames. It may bind the current plan again, so set the inputs again.
 * OCTET_INVALID_ARGUMENT: another size, another blob, other features, or a run aside goes on.
 * OCTET_CORRUPT: values that no state has. On an error nothing has changed. */
OCTET_API octet_status octet_state_set(octet_session* session, const void* memory, size_t bytes);

/* The next frame is the first of a sequence: states of the model are what they were after
 * octet_bind (zeros, or the values that the blob gives), and filters forget their frames. Other
 * features keep theirs. A frame that is not completed ends. In a run aside it holds until
 * octet_aside_end. */
OCTET_API octet_status octet_reset(octet_session* session);

/* States of the model, and of each the name of its input and its shape. */
OCTET_API uint32_t octet_state_count(const octet_session* session);
/* OCTET_INVALID_ARGUMENT: index. */
OCTET_API octet_status octet_state_tensor(const octet_session* session, uint32_t index,
                                          octet_tensor_info* info);

/* Runs aside: for a comparison, a test or a look at the same frame with another plan. Between the
 * two calls octet_set_plan, inputs, octet_run and outputs work as always, but no run counts as a
 * frame: filters do not run. Each run reads the states of the model that the last frame read, so it
 * repeats that frame. After octet_reset in between, runs are a sequence: each reads what the one
 * before it wrote. octet_aside_end sets the state and the plan to what they were before,
 * whatever was done in between. So use what was measured after octet_aside_end. Read outputs
 * before it, and set the inputs again after it. Each call copies `frame_bytes`.
 * OCTET_INVALID_ARGUMENT: a run aside goes on already, or none. */
OCTET_API octet_status octet_aside_begin(octet_session* session);
OCTET_API octet_status octet_aside_end(octet_session* session);
/* 1 between the two calls, as in octet_config.before_layer. */
OCTET_API int octet_is_aside(const octet_session* session);

#ifdef __cplusplus
}
#endif

#endif /* OCTET_STATE_H_ */
