/* Octet drift recalibration, C API: on the board, activation ranges follow a scene that changes
 * over hours. A few frames an hour run in the blob's FP16 plan, to measure the ranges of its
 * tensors. Scales of the int8 plan that no longer fit get new values, in memory of the arena. Other
 * frames compare the int8 plan with the FP16 plan's answers. The new scales are kept if they are
 * better, else dropped. All of this is integer arithmetic. The blob is never changed. The same
 * steps give the same bits on every machine.
 *
 *   octet_bind(plan_mask | OCTET_WITH_DRIFT) -> octet_drift_load? -> every few minutes, on a frame:
 *     role = octet_drift_role_now
 *     octet_aside_begin (octet/state.h)
 *     run the observing plan, octet_drift_observe from before_layer and at the end
 *     JUDGE: run the int8 plan with OCTET_DRIFT_CURRENT and with OCTET_DRIFT_CANDIDATE, and note
 * how far each agrees with the observing plan octet_aside_end FIT:   octet_drift_fitted JUDGE:
 * octet_drift_judged OCTET_DRIFT_KEPT: octet_drift_save, and store the record. */
#ifndef OCTET_DRIFT_H_
#define OCTET_DRIFT_H_

#include "octet/octet.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Add it to octet_config.plan_mask and to the plan_mask of octet_arena_bytes, to get memory for
 * moved scales. OCTET_INVALID_ARGUMENT: the blob has no drift section (octet convert --drift), or
 * not both of its plans are bound. OCTET_MALFORMED: the section breaks a rule. */
#define OCTET_WITH_DRIFT 0x80000000u

typedef struct octet_drift_info {
  uint32_t size OCTET_SIZE(octet_drift_info);
  uint32_t
      group_count; /* of tensors whose scales move together; 0: the blob has no drift section */
  uint32_t layer_count; /* whose numbers depend on these scales */
  uint32_t plan;        /* int8 */
  uint32_t observe_plan;
} octet_drift_info;

/* Describes a blob. Header, section table and plans are checked, hashes are not. */
OCTET_API octet_status octet_drift_describe(const void* blob, size_t blob_bytes,
                                            octet_drift_info* info);

/* The same for a session bound with OCTET_WITH_DRIFT. The blob need not be in memory whole. */
OCTET_API octet_status octet_drift_bound(const octet_session* session, octet_drift_info* info);

typedef struct octet_drift_config {
  uint32_t size OCTET_SIZE(octet_drift_config);
  uint32_t fit_frames;   /* frames that measure new ranges; 1 to 1000 */
  uint32_t judge_frames; /* other frames, that judge them; 1 to 1000 */
  /* Neither agreement nor fidelity may fall in the mean. One of them must rise: agreement by gain,
   * per mille (0 to 1000), or fidelity by fidelity_gain, in its unit (0 to 25600). */
  uint32_t gain;
  uint32_t fidelity_gain;
} octet_drift_config;

/* 5, 5, 5 and 43 (half a decibel). At ten frames an hour a round takes an hour. */
OCTET_API void octet_drift_defaults(octet_drift_config* config);
/* Starts a new round. This call and all calls below need a session bound with OCTET_WITH_DRIFT,
 * else they return OCTET_INVALID_ARGUMENT. */
OCTET_API octet_status octet_drift_configure(octet_session* session,
                                             const octet_drift_config* config);

typedef uint32_t octet_drift_role;
enum {
  OCTET_DRIFT_FIT = 0,  /* the next frame measures ranges */
  OCTET_DRIFT_JUDGE = 1 /* the next frame judges the new scales */
};
OCTET_API octet_drift_role octet_drift_role_now(const octet_session* session);

/* Call it while the observing plan runs on a frame that measures ranges: from
 * octet_config.before_layer with its layer, and after octet_run with octet_layer_count. Layer 0
 * begins anew, so nothing of a run that was cancelled is left. What is measured is no part of the
 * session's state until octet_drift_fitted. */
OCTET_API void octet_drift_observe(octet_session* session, uint32_t layer);

typedef uint32_t octet_drift_event;
enum {
  OCTET_DRIFT_NOTHING = 0,  /* the round continues */
  OCTET_DRIFT_STEADY = 1,   /* the round has ended: every range is within calibration's */
  OCTET_DRIFT_PROPOSED = 2, /* new scales exist and must be judged */
  OCTET_DRIFT_KEPT = 3,     /* the new scales are used from now on */
  OCTET_DRIFT_DROPPED = 4,  /* the new scales are not better */
  OCTET_DRIFT_UNFIT = 5     /* a factor or an accumulator would leave its bound */
};
/* Ends a frame that measured ranges. It binds the current plan again, so set the inputs again. */
OCTET_API octet_drift_event octet_drift_fitted(octet_session* session);

typedef uint32_t octet_drift_scales;
enum {
  OCTET_DRIFT_CURRENT = 0,  /* the scales that were kept last, or the blob's */
  OCTET_DRIFT_CANDIDATE = 1 /* the scales to be judged */
};
/* Call it between two runs. The inputs must be set again. OCTET_INVALID_ARGUMENT: no candidate. */
OCTET_API octet_status octet_drift_use(octet_session* session, octet_drift_scales scales);
/* How close two answers to one frame are: the outputs' mean square divided by the mean square of
 * their difference, as log2 in units of 1/256, 0 to 25600. A decibel is 85. finer: the observing
 * plan's answer. */
OCTET_API uint32_t octet_drift_fidelity(const float* finer, const float* other, size_t count);

/* The int8 plan's answer, compared with the observing plan's answer to the same frame. */
typedef struct octet_drift_answer {
  uint32_t agreement; /* per mille; octet/agreement.h has the measures of each task */
  uint32_t fidelity;  /* octet_drift_fidelity of the outputs; finer than agreement */
} octet_drift_answer;
/* The answers with the current scales and with the candidate. Afterwards the current scales are
 * used. */
OCTET_API octet_drift_event octet_drift_judged(octet_session* session,
                                               const octet_drift_answer* current,
                                               const octet_drift_answer* candidate);

/* Returns the number of groups whose scale differs from the blob's. *largest: the largest move with
 * its sign, in eighths of an octave. */
OCTET_API uint32_t octet_drift_moved(const octet_session* session, int32_t* largest);

/* The kept scales, to be stored beside the blob. The record has a checksum and is valid for this
 * blob only. */
#define OCTET_DRIFT_RECORD_BYTES 352u
typedef struct octet_drift_record {
  uint8_t bytes[OCTET_DRIFT_RECORD_BYTES];
} octet_drift_record;
OCTET_API octet_status octet_drift_save(octet_session* session, octet_drift_record* record);
/* OCTET_CORRUPT: not a record, or damaged. OCTET_INVALID_ARGUMENT: a record of another blob.
 * OCTET_MALFORMED: its scales cannot run. On an error nothing has changed. */
OCTET_API octet_status octet_drift_load(octet_session* session, const octet_drift_record* record);

#ifdef __cplusplus
}
#endif

#endif /* OCTET_DRIFT_H_ */
