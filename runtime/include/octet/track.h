/* Octet tracks, C API: boxes of each frame become tracks with ids. It needs no session and no
 * model: tracks are a function of boxes and times. It computes in integers: the same calls give
 * the same tracks on every machine. It does not allocate, and the memory is the caller's.
 *
 *   octet_tracks_bytes -> memory -> octet_tracks_init -> { octet_tracks_boxes ->
 *   octet_tracks_frame }*
 *
 * The method is a setting. ByteTrack (Zhang et al., 2022): boxes with a score above `high` are
 * associated with the predicted tracks by IoU times score, then boxes above `low` with the tracks
 * that are left, by IoU. OC-SORT (Cao et al., 2023): boxes above `high` are associated by IoU and
 * by the direction in which a track was seen to move, then boxes above `low` by IoU, then boxes
 * above `high` that are left with the last boxes of tracks that are left. A track that is found
 * again is updated along a straight line from its last box. A Kalman filter with constant velocity
 * predicts a track (SORT, DeepSORT). Times are measured: a step of n/30 s equals n predictions of
 * the published method, which counts frames. The assignment is optimal: shortest augmenting paths
 * (Jonker and Volgenant, 1987) with integer costs. Its time is bounded by the capacity:
 * runtime/track/assign.h. */
#ifndef OCTET_TRACK_H_
#define OCTET_TRACK_H_

#include "octet/octet.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Shares, as scores and thresholds: 65536 is 1. */
#define OCTET_TRACKS_ONE 65536u
/* Coordinates: 256 is one pixel. They are clipped to +-2^24, which is 65536 pixels. */
#define OCTET_TRACKS_PIXEL 256
#define OCTET_TRACKS_MOST 1024u /* the largest capacity */
#define OCTET_TRACKS_NO_BOX UINT32_MAX

/* x to the right, y down. A box whose x1 is not above x0, or y1 not above y0, is ignored. */
typedef struct octet_box {
  int32_t x0, y0, x1, y1;
  uint32_t score;
  uint32_t label;
} octet_box;

typedef uint32_t octet_tracks_classes;
enum {
  OCTET_TRACKS_APART = 0,   /* a box joins tracks of its own label only */
  OCTET_TRACKS_TOGETHER = 1 /* labels do not matter; a track has the label of its last box */
};

typedef uint32_t octet_tracks_method;
enum { OCTET_TRACKS_BYTE_TRACK = 0, OCTET_TRACKS_OC_SORT = 1 };

/* OC-SORT does not use new_score, match, second and unconfirmed: each box above `high` that is left
 * begins a track. ByteTrack does not use iou and inertia. */
typedef struct octet_tracks_config {
  uint32_t size OCTET_SIZE(octet_tracks_config);
  uint32_t high;        /* boxes with a score above it are associated first */
  uint32_t low;         /* boxes above it and not above `high` are associated second */
  uint32_t new_score;   /* the least score of a box that begins a track */
  uint32_t match;       /* first association: 1 - IoU * score is below it */
  uint32_t second;      /* second association: 1 - IoU is below it */
  uint32_t unconfirmed; /* association of tracks that were seen once: 1 - IoU * score is below it */
  uint32_t buffer_ms; /* a track ends in a frame in which it was not seen for longer; 1 to 10000 */
  octet_tracks_classes classes;
  octet_tracks_method method;
  uint32_t iou;     /* OC-SORT, each association: IoU is at least it */
  uint32_t inertia; /* OC-SORT, first association: weight of the direction beside IoU */
} octet_tracks_config;

typedef uint32_t octet_track_state;
enum {
  OCTET_TRACK_SEEN = 1, /* in this frame */
  OCTET_TRACK_LOST = 2  /* not seen in this frame; the box is predicted */
};

/* A track that was seen twice (ByteTrack: in two frames in a row), or began in the first frame. */
typedef struct octet_track {
  uint64_t id;            /* from 1; no id is used again before octet_tracks_init */
  uint64_t begun_us;      /* time of its first box */
  uint64_t seen_us;       /* time of its last box */
  int32_t x0, y0, x1, y1; /* the filter's box */
  uint32_t score, label;  /* of its last box */
  octet_track_state state;
  uint32_t box; /* index of its box in this frame; OCTET_TRACKS_NO_BOX: lost */
} octet_track;

typedef struct octet_tracks octet_tracks; /* lives in the caller's memory */

typedef struct octet_tracks_info {
  uint32_t size OCTET_SIZE(octet_tracks_info);
  uint32_t capacity;
  uint32_t seen, lost, unconfirmed; /* tracks after the last frame */
  uint64_t frames;                  /* since octet_tracks_init */
  uint64_t begun;                   /* tracks since octet_tracks_init */
  uint64_t refused;                 /* boxes that began no track because all tracks were in use */
  uint64_t left_out;                /* boxes beyond the capacity, those with the lowest scores */
  size_t snapshot_bytes;
} octet_tracks_info;

/* Memory for `capacity` tracks and as many boxes a frame. 0: capacity is 0 or above
 * OCTET_TRACKS_MOST. */
OCTET_API size_t octet_tracks_bytes(uint32_t capacity);

/* ByteTrack, and the published values: 0.6, 0.1, 0.7, 0.8, 0.5, 0.7 and 1 s; of OC-SORT 0.3 and
 * 0.2. Classes apart. */
OCTET_API void octet_tracks_defaults(octet_tracks_config* config);

/* memory: 8-byte aligned. The caller keeps it as long as the tracks are used. It may be moved by
 * memcpy. OCTET_INVALID_ARGUMENT: capacity, a share above 1, `low` above `high`, or buffer_ms.
 * OCTET_ARENA_TOO_SMALL, OCTET_MISALIGNED: the memory. */
OCTET_API octet_status octet_tracks_init(void* memory, size_t memory_bytes, uint32_t capacity,
                                         const octet_tracks_config* config, octet_tracks** tracks);

/* Boxes of octet_detect. Numbers that are not finite count as 0. boxes: `count` of them. */
OCTET_API void octet_tracks_boxes(const octet_detection* detections, uint32_t count,
                                  octet_box* boxes);

/* A frame. time_us: of its capture, by any clock; if it goes back, no time passes. As published,
 * boxes are associated before tracks end: so tracks go on after a time without frames. After one
 * that is longer than twice buffer_ms all tracks end. Writes the tracks in the order of their
 * ids, seen and lost ones. `capacity` of `list`: at least that of the tracks
 * (OCTET_INVALID_ARGUMENT). The time is bounded for any boxes. */
OCTET_API octet_status octet_tracks_frame(octet_tracks* tracks, uint64_t time_us,
                                          const octet_box* boxes, uint32_t box_count,
                                          octet_track* list, uint32_t capacity, uint32_t* count);

/* Ends all tracks, as after the camera was moved. Ids go on. */
OCTET_API void octet_tracks_reset(octet_tracks* tracks);

OCTET_API octet_status octet_tracks_describe(const octet_tracks* tracks, octet_tracks_info* info);

/* A copy of what lives from frame to frame, octet_tracks_info.snapshot_bytes long.
 * OCTET_INVALID_ARGUMENT: another size. */
OCTET_API octet_status octet_tracks_get(const octet_tracks* tracks, void* memory, size_t bytes);
/* OCTET_INVALID_ARGUMENT: another size, or tracks of another capacity. OCTET_CORRUPT: values that
 * no tracks have. On an error nothing has changed. */
OCTET_API octet_status octet_tracks_set(octet_tracks* tracks, const void* memory, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* OCTET_TRACK_H_ */
