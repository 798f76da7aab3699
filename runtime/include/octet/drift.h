/* Octet drift recalibration, C API: activation ranges follow a scene that changes over hours, on
 * the board. A few frames an hour run in the blob's FP16 plan and tell how large its tensors grow;
 * the scales of the int8 plan that no longer fit are moved, in integers, into memory of the arena;
 * other frames judge by the FP16 plan's answers whether that helps, and it is kept or dropped. The
 * blob is never changed. The same steps give the same bits on every machine.
 *
 *   octet_bind(plan_mask | OCTET_WITH_DRIFT) -> octet_drift_load? -> every few minutes, on a frame:
 *     role = octet_drift_role_now
 *     run the observing plan, octet_drift_observe from before_layer and at the end
 *     FIT:   octet_drift_fitted
 *     JUDGE: run the int8 plan with OCTET_DRIFT_CURRENT and with OCTET_DRIFT_CANDIDATE, and say how
 *            far each agrees with the observing plan: octet_drift_judged
 *     OCTET_DRIFT_KEPT: octet_drift_save, and store the record. */
#ifndef OCTET_DRIFT_H_
#define OCTET_DRIFT_H_

#include "octet/octet.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Added to octet_config.plan_mask and to that of octet_arena_bytes: memory for moved scales. The
 * blob needs a drift section (octet convert --drift) and both its plans bound, else
 * OCTET_INVALID_ARGUMENT; OCTET_MALFORMED: the section breaks a rule. */
#define OCTET_WITH_DRIFT 0x80000000u

typedef struct octet_drift_info {
  uint32_t size OCTET_SIZE(octet_drift_info);
  uint32_t group_count; /* of tensors whose scales move together; 0: the blob has no such section */
  uint32_t layer_count; /* whose numbers follow */
  uint32_t plan;        /* int8 */
  uint32_t observe_plan;
} octet_drift_info;

/* Of a blob; header, section table and plans are looked at, hashes are not. */
OCTET_API octet_status octet_drift_describe(const void* blob, size_t blob_bytes,
                                            octet_drift_info* info);

/* The same of a session bound with OCTET_WITH_DRIFT, whatever of the blob is still in memory. */
OCTET_API octet_status octet_drift_bound(const octet_session* session, octet_drift_info* info);

typedef struct octet_drift_config {
  uint32_t size OCTET_SIZE(octet_drift_config);
  uint32_t fit_frames;   /* that tell new ranges; 1 to 1000 */
  uint32_t judge_frames; /* other ones, that judge them; 1 to 1000 */
  /* Neither agreement nor fidelity may fall, and one has to grow in the mean: agreement by gain per
   * mille (0 to 1000), or fidelity by fidelity_gain in its unit (0 to 25600). */
  uint32_t gain;
  uint32_t fidelity_gain;
} octet_drift_config;

/* 5, 5, 5 and 43 (half a decibel): at ten frames an hour a round takes an hour. */
OCTET_API void octet_drift_defaults(octet_drift_config* config);
/* For a session bound with OCTET_WITH_DRIFT, as all that follow (else OCTET_INVALID_ARGUMENT). A
 * round begins anew. */
OCTET_API octet_status octet_drift_configure(octet_session* session,
                                             const octet_drift_config* config);

typedef uint32_t octet_drift_role;
enum {
  OCTET_DRIFT_FIT = 0,  /* the next frame tells ranges */
  OCTET_DRIFT_JUDGE = 1 /* it judges those found */
};
OCTET_API octet_drift_role octet_drift_role_now(const octet_session* session);

/* From octet_config.before_layer with its layer, and after octet_run with octet_layer_count, while
 * the observing plan runs on a frame that is to tell ranges. */
OCTET_API void octet_drift_observe(octet_session* session, uint32_t layer);

typedef uint32_t octet_drift_event;
enum {
  OCTET_DRIFT_NOTHING = 0,  /* the round goes on */
  OCTET_DRIFT_STEADY = 1,   /* it is over: no range has left calibration's */
  OCTET_DRIFT_PROPOSED = 2, /* new scales are there, to be judged */
  OCTET_DRIFT_KEPT = 3,     /* they run from now on */
  OCTET_DRIFT_DROPPED = 4,  /* they gain nothing */
  OCTET_DRIFT_UNFIT = 5     /* a factor or an accumulator would leave its bound */
};
/* Ends a frame that told ranges. The current plan is bound anew: set inputs again. */
OCTET_API octet_drift_event octet_drift_fitted(octet_session* session);

typedef uint32_t octet_drift_scales;
enum {
  OCTET_DRIFT_CURRENT = 0,  /* those kept last, or the blob's */
  OCTET_DRIFT_CANDIDATE = 1 /* those to be judged */
};
/* Between two runs; inputs have to be set again. OCTET_INVALID_ARGUMENT: there is no candidate. */
OCTET_API octet_status octet_drift_use(octet_session* session, octet_drift_scales scales);
/* How near two answers to one frame are: the outputs' mean square over that of their difference, as
 * log2 in 1/256 (a decibel is 85), 0 to 25600. finer: of the observing plan. */
OCTET_API uint32_t octet_drift_fidelity(const float* finer, const float* other, size_t count);

/* What the int8 plan gave, seen from the observing plan's answer to the same frame. */
typedef struct octet_drift_answer {
  uint32_t agreement; /* per mille; octet/guard.h has the measures of each task */
  uint32_t fidelity;  /* of the outputs; tells apart what agreement does not */
} octet_drift_answer;
/* With the current scales and with the candidate. Current ones are in use afterwards. */
OCTET_API octet_drift_event octet_drift_judged(octet_session* session,
                                               const octet_drift_answer* current,
                                               const octet_drift_answer* candidate);

/* How many groups run at another scale than the blob's, and the largest move, in eighths of an
 * octave, with its sign. */
OCTET_API uint32_t octet_drift_moved(const octet_session* session, int32_t* largest);

/* What has been learnt, to be stored beside the blob: bounded, checksummed, of this blob alone. */
#define OCTET_DRIFT_RECORD_BYTES 352u
typedef struct octet_drift_record {
  uint8_t bytes[OCTET_DRIFT_RECORD_BYTES];
} octet_drift_record;
OCTET_API octet_status octet_drift_save(octet_session* session, octet_drift_record* record);
/* OCTET_CORRUPT: no record, or damaged; OCTET_INVALID_ARGUMENT: of another blob;
 * OCTET_MALFORMED: its scales cannot run. Then nothing has changed. */
OCTET_API octet_status octet_drift_load(octet_session* session, const octet_drift_record* record);

#ifdef __cplusplus
}
#endif

#endif /* OCTET_DRIFT_H_ */
