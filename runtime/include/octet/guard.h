/* Octet guard, C API: decides between two frames which plan of a blob's ladder runs, from scores
 * and temperatures. A state machine without clock, I/O or memory of its own: time, scores and
 * temperatures come in, a plan and a rate come out. The same calls give the same decisions on every
 * machine: integers only.
 *
 *   octet_guard_init -> { run the frame -> octet_guard_score* -> octet_guard_shadow -> [run the
 *   shadow plan on the same frame -> octet_guard_agreement] -> octet_guard_temperature ->
 *   octet_guard_frame -> octet_set_plan }*
 *
 * Who wins, first to last:
 *   1. a plan that the application holds (octet_guard_hold);
 *   2. heat at or above throttle_mc, where the policy is lower_precision: the board would otherwise
 *      slow itself down;
 *   3. accuracy: the breaker's floor, below which the plan does not go;
 *   4. heat: plans above or below the home plan, by the policy;
 *   5. the home plan. */
#ifndef OCTET_GUARD_H_
#define OCTET_GUARD_H_

#include "octet/octet.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Scores and shares are per mille: 1000 is the FP32 model's own score. */
#define OCTET_GUARD_FULL_SCORE 1000u
#define OCTET_GUARD_NO_SCORE UINT32_MAX
#define OCTET_GUARD_NO_PLAN UINT32_MAX

typedef uint32_t octet_guard_signal;
enum {
  OCTET_GUARD_APPLICATION = 0, /* the application's own score of the frame, over reference_score */
  OCTET_GUARD_AGREEMENT = 1,   /* with the ladder's last plan on the same frame */
  OCTET_GUARD_SATURATION = 2,  /* 1000 less the share of values cut that were not cut before; a bad
                                * one counts where the last agreement was below return_score */
  OCTET_GUARD_SIGNALS = 3
};

typedef uint32_t octet_guard_policy;
enum {
  OCTET_GUARD_HEAT_IGNORED = 0,
  OCTET_GUARD_RAISE_PRECISION = 1, /* while hot a plan up for every heat_dwell_ms */
  OCTET_GUARD_LOWER_PRECISION = 2, /* a plan down */
  OCTET_GUARD_LOWER_RATE = 3       /* half of the frames: 1, 1/2, 1/4, 1/8 */
};

typedef struct octet_guard_config {
  uint32_t size OCTET_SIZE(octet_guard_config);
  uint32_t plan_count; /* 1 to 8; plan 0 is the cheapest */
  uint32_t home_plan;  /* runs where nothing speaks against it */

  /* The breaker: trip_frames scored frames in a row below trip_score, and the plan goes one up. */
  uint32_t trip_score, trip_frames;
  /* One down again after dwell_ms and return_frames scores in a row of at least return_score: of
   * the plan below, measured by shadow runs; without shadow runs of the plan that runs. Where the
   * plan below was not found bad for twice dwell_ms (at least 1 s), it is tried. A plan that
   * trips again before it ran for a dwell doubles the next dwell, up to dwell_max_ms; one that does
   * not halves it. */
  uint32_t return_score, return_frames;
  uint32_t dwell_ms, dwell_max_ms;
  uint32_t weights[OCTET_GUARD_SIGNALS]; /* of a frame's signals; 0: the signal is not looked at */
  /* What the application's score is on data like the calibration's with FP32, in its own unit;
   * 1000: its scores are per mille of that already. */
  uint32_t reference_score;
  /* A shadow run every so many frames, 0: none; earlier while scores are bad. */
  uint32_t shadow_every;

  octet_guard_policy policy;
  int32_t enter_mc, leave_mc, throttle_mc; /* millidegrees Celsius; leave < enter < throttle */
  uint32_t heat_dwell_ms;                  /* least time between two steps of heat */
  uint32_t sensor_lost_ms;  /* without a reading that can be: the board counts as cool */
  uint32_t sensor_stuck_ms; /* the very same reading for so long counts as none; 0: for ever good */
} octet_guard_config;

/* Why the plan is the one it is. */
typedef uint32_t octet_guard_reason;
enum {
  OCTET_GUARD_HOME = 0,
  OCTET_GUARD_ACCURACY = 1, /* the breaker holds it up */
  OCTET_GUARD_HEAT = 2,
  OCTET_GUARD_THROTTLE = 3, /* heat that accuracy has to yield to */
  OCTET_GUARD_HELD = 4      /* by the application */
};

/* Bits of octet_guard_decision.events: what happened in this frame. */
#define OCTET_GUARD_TRIPPED 1u       /* the breaker went up */
#define OCTET_GUARD_RETURNED 2u      /* the breaker went down */
#define OCTET_GUARD_EXHAUSTED 4u     /* it would have tripped, but this is the last plan */
#define OCTET_GUARD_GREW_HOT 8u      /* at or above enter_mc */
#define OCTET_GUARD_COOLED 16u       /* at or below leave_mc */
#define OCTET_GUARD_SENSOR_LOST 32u  /* no reading that can be for sensor_lost_ms */
#define OCTET_GUARD_SENSOR_STUCK 64u /* it has not moved for sensor_stuck_ms */
#define OCTET_GUARD_SENSOR_BACK 128u
#define OCTET_GUARD_POLICY_LEFT                                     \
  256u /* raise_precision made it hotter: until it has cooled, none \
        */

typedef struct octet_guard_decision {
  uint32_t size OCTET_SIZE(octet_guard_decision);
  uint32_t plan;         /* of the next frame */
  uint32_t rate_divisor; /* run one frame of so many: 1, 2, 4, 8 */
  octet_guard_reason reason;
  uint32_t events;     /* OCTET_GUARD_* bits */
  uint32_t score;      /* of this frame, OCTET_GUARD_NO_SCORE: it had none */
  uint32_t dwell_ms;   /* that the next step back waits for */
  uint32_t bad_frames; /* scores in a row below trip_score: what is wrong is worth a shadow run */
} octet_guard_decision;

/* The state: anywhere, moved by memcpy, never looked into. */
typedef struct octet_guard {
  uint64_t state[32];
} octet_guard;

/* Defaults for a ladder of so many plans: trip below 900 in 5 frames, return at 950 in 5 frames
 * after 30 s (to 16 min), a shadow run every 30 frames, raise_precision between 55 and 60 C with 10
 * s, throttle at 80 C. */
OCTET_API void octet_guard_defaults(octet_guard_config* config, uint32_t plan_count);

/* The settings that the blob brings for its ladder: of its board (octet convert --board), else the
 * defaults; the header and the section table are checked. OCTET_MALFORMED: the blob or its settings
 * are none. */
OCTET_API octet_status octet_guard_from_blob(const void* blob, size_t blob_bytes,
                                             octet_guard_config* config);
/* Names of the board's thermal zones, zero-terminated, one behind the other; "" without. */
OCTET_API const char* octet_guard_zones(const void* blob, size_t blob_bytes, size_t* zones_bytes);

/* Microseconds that a frame may take on the board; 0: none is known. */
OCTET_API uint32_t octet_guard_latency_budget_us(const void* blob, size_t blob_bytes);

/* now_ms: any clock that only rises; it may wrap. OCTET_INVALID_ARGUMENT: a plan outside the
 * ladder, scores above 1000 or return below trip, counts of 0, thresholds or dwells out of order.
 */
OCTET_API octet_status octet_guard_init(octet_guard* guard, const octet_guard_config* config,
                                        uint32_t now_ms);

/* A signal of this frame and of the plan that runs; the application's in the unit of
 * reference_score. Each signal once a frame; the last one counts. */
OCTET_API void octet_guard_score(octet_guard* guard, octet_guard_signal signal, uint32_t score);

/* Whether a second run of this frame has time. */
typedef uint32_t octet_guard_time;
enum {
  OCTET_GUARD_NO_TIME = 0,
  OCTET_GUARD_HAS_TIME = 1, /* it costs no frame */
  OCTET_GUARD_RARE_TIME = 2 /* it may cost frames, and so few have been spent that it may */
};

/* After the scores: the plan to run on this frame as well, OCTET_GUARD_NO_PLAN: none. has_time: an
 * octet_guard_time; RARE_TIME is taken only for the plan below, once its dwell is over. */
OCTET_API uint32_t octet_guard_shadow(octet_guard* guard, int has_time);
/* How far the two plans' answers to this frame agree, per mille. */
OCTET_API void octet_guard_agreement(octet_guard* guard, uint32_t score);

/* The board's temperature; more often than frames come, or less. Readings outside -40 to 150 C are
 * none. */
OCTET_API void octet_guard_temperature(octet_guard* guard, int32_t millidegrees);

/* Ends the frame. A clock that goes back by less than 2^31 ms stands still. */
OCTET_API void octet_guard_frame(octet_guard* guard, uint32_t now_ms,
                                 octet_guard_decision* decision);

/* From the next octet_guard_frame on this plan and no other; OCTET_GUARD_NO_PLAN: as before.
 * OCTET_INVALID_ARGUMENT: there is no such plan. */
OCTET_API octet_status octet_guard_hold(octet_guard* guard, uint32_t plan);

OCTET_API const char* octet_guard_reason_name(octet_guard_reason reason);

/* What shadow runs may take: a tenth of the time that passes (more while scores are bad) where they
 * fit between two frames, a fiftieth where they do not. Times in microseconds of one clock. */
typedef struct octet_guard_budget {
  uint64_t state[8];
} octet_guard_budget;
typedef struct octet_guard_frame_time {
  uint32_t size OCTET_SIZE(octet_guard_frame_time);
  uint32_t waits;       /* 1: the source waits, so that there is always time */
  uint32_t bad_frames;  /* of the decision before */
  uint64_t number;      /* of the frame in the stream; what was dropped counts */
  uint64_t captured_us; /* when it was captured */
  uint64_t run_us;      /* what its run took */
  uint64_t now_us;
} octet_guard_frame_time;
OCTET_API void octet_guard_budget_init(octet_guard_budget* budget, uint64_t now_us);
OCTET_API octet_guard_time octet_guard_budget_frame(octet_guard_budget* budget,
                                                    const octet_guard_frame_time* frame);
/* After a shadow run: what it took. */
OCTET_API void octet_guard_budget_spend(octet_guard_budget* budget, uint64_t shadow_us);

/* Probes: up to 16 tensors, chosen at conversion, of which a fixed sample of 256 values is looked
 * at while frames run. They tell values cut at the ends of the int8 range (a signal of the guard)
 * in every frame, and where the plans differ after a shadow run, for a few microseconds. The memory
 * is the caller's, 8-byte aligned. */
typedef struct octet_probes {
  uint64_t state[2400];
} octet_probes;

typedef struct octet_probe_info {
  uint32_t size OCTET_SIZE(octet_probe_info);
  const char* name;  /* of the tensor, in the blob */
  float error;       /* RMS of the plans' difference over that of the finer one; < 0: not known */
  float saturation;  /* share of the sample at an end of the int8 range, in the last frame */
  float range_share; /* the largest value in the last frame over the range's end; 0: not int8 */
} octet_probe_info;

/* OCTET_MALFORMED: the blob's guard section is none. A blob without one has no probes:
 * it has one plan, or an older converter made it. */
OCTET_API octet_status octet_probes_init(octet_probes* probes, const void* blob, size_t blob_bytes);
OCTET_API uint32_t octet_probes_count(const octet_probes* probes);
/* From octet_config.before_layer with its layer, and after octet_run with octet_layer_count.
 * shadow: this run is a shadow run of the frame before it. */
OCTET_API void octet_probes_take(octet_probes* probes, const octet_session* session, uint32_t layer,
                                 int shadow);
/* Compares the last frame with its shadow run, which has just ended. */
OCTET_API void octet_probes_compare(octet_probes* probes);
/* Of the last frame, for OCTET_GUARD_SATURATION: 1000 less what is cut beyond calibration, per
 * mille of the worst tensor; OCTET_GUARD_NO_SCORE where nothing int8 was sampled. */
OCTET_API uint32_t octet_probes_score(const octet_probes* probes);
OCTET_API octet_status octet_probes_info(const octet_probes* probes, uint32_t index,
                                         octet_probe_info* info);

/* How far two answers to one frame agree, per mille, as octet_guard_agreement takes it. */
/* F1 of boxes of one class at IoU 0.5, best scores first; none on both sides agree. */
OCTET_API uint32_t octet_agreement_detections(const octet_detection* a, uint32_t a_count,
                                              const octet_detection* b, uint32_t b_count);
/* Is the best class the same? */
OCTET_API uint32_t octet_agreement_classes(const octet_class_score* a, uint32_t a_count,
                                           const octet_class_score* b, uint32_t b_count);
/* Mean IoU over the classes that either map has. */
OCTET_API uint32_t octet_agreement_labels(const uint8_t* a, const uint8_t* b, size_t pixels);
/* Cosine of two outputs, 0 where it is negative or not a number. */
OCTET_API uint32_t octet_agreement_values(const float* a, const float* b, size_t count);

#ifdef __cplusplus
}
#endif

#endif /* OCTET_GUARD_H_ */
