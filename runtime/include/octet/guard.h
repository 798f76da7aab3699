/* Octet guard, C API: decides between two frames which plan of a blob runs, from scores and
 * temperatures. The plans are a ladder from the cheapest to the most precise. The guard is a state
 * machine without clock, I/O or memory of its own. Its inputs are time, scores and temperatures.
 * Its outputs are a plan and a rate. It computes in integers: the same calls give the same
 * decisions on every machine.
 *
 *   octet_guard_init -> { run the frame -> octet_guard_score* -> octet_guard_shadow -> [run the
 *   shadow plan on the same frame -> octet_guard_agreement] -> octet_guard_temperature ->
 *   octet_guard_frame -> octet_set_plan }*
 *
 * Priorities, highest first:
 *   1. a plan that the application holds (octet_guard_hold);
 *   2. heat at or above throttle_mc, with the policy lower_precision. Above that temperature the
 * board slows itself down;
 *   3. accuracy: the breaker sets the lowest plan that may run;
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
  OCTET_GUARD_APPLICATION =
      0, /* the application's own score of the frame, divided by reference_score */
  OCTET_GUARD_AGREEMENT = 1,  /* agreement with the ladder's last plan on the same frame */
  OCTET_GUARD_SATURATION = 2, /* 1000 minus the share of values that are cut here and were not cut
                               * in calibration. A bad value counts only if the last agreement was
                               * below return_score */
  OCTET_GUARD_SIGNALS = 3
};

typedef uint32_t octet_guard_policy;
enum {
  OCTET_GUARD_HEAT_IGNORED = 0,
  OCTET_GUARD_RAISE_PRECISION = 1, /* while hot, one plan up every heat_dwell_ms */
  OCTET_GUARD_LOWER_PRECISION = 2, /* while hot, one plan down every heat_dwell_ms */
  OCTET_GUARD_LOWER_RATE = 3       /* while hot, half of the frames: 1, 1/2, 1/4, 1/8 */
};

typedef struct octet_guard_config {
  uint32_t size OCTET_SIZE(octet_guard_config);
  uint32_t plan_count; /* 1 to 8; plan 0 is the cheapest */
  uint32_t home_plan;  /* the plan that runs if no rule asks for another */

  /* The breaker goes one plan up after trip_frames scored frames in a row below trip_score. */
  uint32_t trip_score, trip_frames;
  /* The breaker goes one plan down after dwell_ms and return_frames scores in a row of at least
   * return_score. These are scores of the plan below, measured by shadow runs. Without shadow runs
   * they are scores of the plan that runs. The plan below is also tried if it was not found bad for
   * twice dwell_ms (at least 1 s). If it trips again before it has run for a dwell, the next dwell
   * doubles, up to dwell_max_ms. Else the next dwell halves. */
  uint32_t return_score, return_frames;
  uint32_t dwell_ms, dwell_max_ms;
  uint32_t weights[OCTET_GUARD_SIGNALS]; /* of a frame's signals; 0: the signal is ignored */
  /* The application's score with FP32 on data like the calibration's, in its own unit. 1000: its
   * scores are per mille of that already. */
  uint32_t reference_score;
  /* Frames between two shadow runs, fewer while scores are bad. 0: no shadow runs. */
  uint32_t shadow_every;

  octet_guard_policy policy;
  int32_t enter_mc, leave_mc, throttle_mc; /* millidegrees Celsius; leave < enter < throttle */
  uint32_t heat_dwell_ms;                  /* shortest time between two steps of heat */
  uint32_t sensor_lost_ms; /* after this time without a possible reading the board counts as cool */
  uint32_t sensor_stuck_ms; /* an equal reading for this time counts as none; 0: never */
} octet_guard_config;

/* Why this plan runs. */
typedef uint32_t octet_guard_reason;
enum {
  OCTET_GUARD_HOME = 0,
  OCTET_GUARD_ACCURACY = 1, /* the breaker keeps it above the home plan */
  OCTET_GUARD_HEAT = 2,
  OCTET_GUARD_THROTTLE = 3, /* heat that has priority over accuracy */
  OCTET_GUARD_HELD = 4      /* by the application */
};

/* Bits of octet_guard_decision.events: what happened in this frame. */
#define OCTET_GUARD_TRIPPED 1u       /* the breaker went up */
#define OCTET_GUARD_RETURNED 2u      /* the breaker went down */
#define OCTET_GUARD_EXHAUSTED 4u     /* the breaker would go up, but this is the last plan */
#define OCTET_GUARD_GREW_HOT 8u      /* at or above enter_mc */
#define OCTET_GUARD_COOLED 16u       /* at or below leave_mc */
#define OCTET_GUARD_SENSOR_LOST 32u  /* no possible reading for sensor_lost_ms */
#define OCTET_GUARD_SENSOR_STUCK 64u /* an equal reading for sensor_stuck_ms */
#define OCTET_GUARD_SENSOR_BACK 128u
#define OCTET_GUARD_POLICY_LEFT                                       \
  256u /* raise_precision heated the board: it stops until that cools \
        */

typedef struct octet_guard_decision {
  uint32_t size OCTET_SIZE(octet_guard_decision);
  uint32_t plan;         /* of the next frame */
  uint32_t rate_divisor; /* run one frame in this many: 1, 2, 4, 8 */
  octet_guard_reason reason;
  uint32_t events;     /* OCTET_GUARD_* bits */
  uint32_t score;      /* of this frame; OCTET_GUARD_NO_SCORE: it had none */
  uint32_t dwell_ms;   /* time until the next step back */
  uint32_t bad_frames; /* scores in a row below trip_score; above 0 a shadow run is useful */
} octet_guard_decision;

/* The state. It may be anywhere and may be moved by memcpy. Do not read it. */
typedef struct octet_guard {
  uint64_t state[32];
} octet_guard;

/* Add it to octet_config.plan_mask and to the plan_mask of octet_arena_bytes: the arena then holds
 * a guard and a budget, as part of the session's state (octet/state.h), and probes, which look at
 * each frame before filters change it. */
#define OCTET_WITH_GUARD 0x20000000u
struct octet_guard_budget;
struct octet_probes;
/* Guard and budget are all zero; call octet_guard_init and octet_guard_budget_init. The probes are
 * those of the blob; octet_probes_init tells if they break a rule. OCTET_INVALID_ARGUMENT: the
 * session was bound without OCTET_WITH_GUARD. */
OCTET_API octet_status octet_guard_bound(const octet_session* session, octet_guard** guard,
                                         struct octet_guard_budget** budget,
                                         struct octet_probes** probes);

/* Defaults for a ladder of plan_count plans: trip below 900 in 5 frames, return at 950 in 5 frames
 * after 30 s (at most 16 min), a shadow run every 30 frames, raise_precision between 55 and 60 C
 * with a dwell of 10 s, throttle at 80 C. */
OCTET_API void octet_guard_defaults(octet_guard_config* config, uint32_t plan_count);

/* The settings in the blob for its ladder: those of its board (octet convert --board), else the
 * defaults. The header and the section table are checked. OCTET_MALFORMED: the blob or its settings
 * break a rule. */
OCTET_API octet_status octet_guard_from_blob(const void* blob, size_t blob_bytes,
                                             octet_guard_config* config);
/* Names of the board's thermal zones, each zero-terminated, one after the other; "": no zones. */
OCTET_API const char* octet_guard_zones(const void* blob, size_t blob_bytes, size_t* zones_bytes);

/* Microseconds that a frame may take on the board; 0: not known. */
OCTET_API uint32_t octet_guard_latency_budget_us(const void* blob, size_t blob_bytes);

/* now_ms: any clock that only rises. It may wrap. OCTET_INVALID_ARGUMENT: a plan outside the
 * ladder, a score above 1000, return_score below trip_score, a count of 0, or temperatures or
 * dwells in the wrong order. */
OCTET_API octet_status octet_guard_init(octet_guard* guard, const octet_guard_config* config,
                                        uint32_t now_ms);

/* A signal of this frame, from the plan that runs. The application's score has the unit of
 * reference_score. Give each signal once a frame. If it is given again, the last value counts. */
OCTET_API void octet_guard_score(octet_guard* guard, octet_guard_signal signal, uint32_t score);

/* Whether there is time for a second run of this frame. */
typedef uint32_t octet_guard_time;
enum {
  OCTET_GUARD_NO_TIME = 0,
  OCTET_GUARD_HAS_TIME = 1, /* no frame is lost */
  OCTET_GUARD_RARE_TIME = 2 /* frames may be lost, and the budget allows it */
};

/* Call it after the scores. It returns the plan to run on this frame too, or OCTET_GUARD_NO_PLAN.
 * has_time: an octet_guard_time. RARE_TIME is used only for the plan below, after its dwell. */
OCTET_API uint32_t octet_guard_shadow(octet_guard* guard, int has_time);
/* The agreement of the two plans' answers to this frame, per mille (octet/agreement.h). */
OCTET_API void octet_guard_agreement(octet_guard* guard, uint32_t score);

/* The board's temperature. It may be given more or less often than frames come. Readings outside
 * -40 to 150 C are ignored. */
OCTET_API void octet_guard_temperature(octet_guard* guard, int32_t millidegrees);

/* Ends the frame. If the clock goes back by less than 2^31 ms, no time passes. */
OCTET_API void octet_guard_frame(octet_guard* guard, uint32_t now_ms,
                                 octet_guard_decision* decision);

/* Only this plan runs from the next octet_guard_frame on. OCTET_GUARD_NO_PLAN ends that.
 * OCTET_INVALID_ARGUMENT: no such plan. */
OCTET_API octet_status octet_guard_hold(octet_guard* guard, uint32_t plan);

OCTET_API const char* octet_guard_reason_name(octet_guard_reason reason);

/* The budget of shadow runs. Where they fit between two frames, they may take a tenth of the time,
 * or more while scores are bad. Where they do not fit, they may take a fiftieth. Times are in
 * microseconds of one clock. */
typedef struct octet_guard_budget {
  uint64_t state[8];
} octet_guard_budget;
typedef struct octet_guard_frame_time {
  uint32_t size OCTET_SIZE(octet_guard_frame_time);
  uint32_t waits;       /* 1: the source waits, so there is always time */
  uint32_t bad_frames;  /* of the previous decision */
  uint64_t number;      /* of the frame in the stream; dropped frames count */
  uint64_t captured_us; /* when it was captured */
  uint64_t run_us;      /* time of its run */
  uint64_t now_us;
} octet_guard_frame_time;
OCTET_API void octet_guard_budget_init(octet_guard_budget* budget, uint64_t now_us);
OCTET_API octet_guard_time octet_guard_budget_frame(octet_guard_budget* budget,
                                                    const octet_guard_frame_time* frame);
/* Call it after a shadow run, with its time. */
OCTET_API void octet_guard_budget_spend(octet_guard_budget* budget, uint64_t shadow_us);

/* Probes: up to 16 tensors, chosen at conversion. They hold what the last frame and the last shadow
 * run showed, and nothing that a decision carries on, so they are no state. While frames run, a
 * fixed sample of 256 values of each tensor is read. In every frame it shows values that are cut at
 * the ends of the int8 range, which is a signal of the guard. After a shadow run it shows where the
 * plans differ. This takes a few microseconds. The memory is the caller's, 8-byte aligned. */
typedef struct octet_probes {
  uint64_t state[2400];
} octet_probes;

typedef struct octet_probe_info {
  uint32_t size OCTET_SIZE(octet_probe_info);
  const char* name; /* of the tensor, in the blob */
  float error; /* RMS of the plans' difference divided by that of the finer plan; < 0: not known */
  float saturation;  /* share of the sample at an end of the int8 range, in the last frame */
  float range_share; /* largest value of the last frame divided by the range's end; 0: not int8 */
} octet_probe_info;

/* OCTET_MALFORMED: the blob's guard section breaks a rule. A blob without the section has no
 * probes: it has one plan, or an older converter made it. */
OCTET_API octet_status octet_probes_init(octet_probes* probes, const void* blob, size_t blob_bytes);
OCTET_API uint32_t octet_probes_count(const octet_probes* probes);
/* Call it from octet_config.before_layer with its layer, and after octet_run with
 * octet_layer_count. shadow: 1 if this run is a shadow run of the last frame. In a run aside
 * (octet/state.h) calls without `shadow` do nothing. A session with OCTET_WITH_GUARD makes the
 * calls of its frames itself. */
OCTET_API void octet_probes_take(octet_probes* probes, octet_session* session, uint32_t layer,
                                 int shadow);
/* Compares the last frame with its shadow run. Call it after the shadow run. */
OCTET_API void octet_probes_compare(octet_probes* probes);
/* The score of the last frame for OCTET_GUARD_SATURATION: 1000 minus the share of values that are
 * cut beyond calibration's, per mille, of the worst tensor. OCTET_GUARD_NO_SCORE: no int8 tensor
 * was sampled. */
OCTET_API uint32_t octet_probes_score(const octet_probes* probes);
OCTET_API octet_status octet_probes_info(const octet_probes* probes, uint32_t index,
                                         octet_probe_info* info);

#ifdef __cplusplus
}
#endif

#endif /* OCTET_GUARD_H_ */
