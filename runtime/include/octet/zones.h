/* Octet zones, C API: tracks (octet/track.h) that enter and leave polygons and cross lines. It
 * needs no session and no model. It computes in integers: the same calls give the same events on
 * every machine. It does not allocate, and the memory is the caller's.
 *
 *   octet_zones_bytes -> memory -> octet_zones_init -> { octet_tracks_frame -> octet_zones_frame }*
 *
 * A point of each box is its anchor. A frame in which a track is seen is an observation of its
 * anchor. Between two observations the anchor moves straight.
 *
 * The side of an anchor (of a line, or inside and outside) is decided in an observation if the
 * whole square around the anchor with sides of twice `band` is on that side. A track changes its
 * side when `frames` of its last `window` decisions are on the other one. So a track that flickers
 * at an edge changes its side once.
 *
 * A track that changes its side of a line has crossed it if its way passed between the line's ends
 * (the first end is part of the line, the second is not). If its way went around an end, it has
 * not. A track that is lost and found again goes on. When a track ends, its last decisions count:
 * it has crossed the line if it was last seen on the other side. */
#ifndef OCTET_ZONES_H_
#define OCTET_ZONES_H_

#include "octet/track.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Shares of the picture: 65536 is its width, or its height. */
#define OCTET_ZONES_PICTURE 65536
#define OCTET_ZONES_MOST 64u        /* zones and lines */
#define OCTET_ZONES_MOST_POINTS 64u /* of a polygon */

typedef struct octet_zone_point {
  int32_t x, y; /* -16 to 16 pictures */
} octet_zone_point;

typedef uint32_t octet_zone_anchor;
enum {
  OCTET_ZONE_BOTTOM = 0, /* the middle of the box's lower side: where a person stands */
  OCTET_ZONE_CENTRE = 1,
  OCTET_ZONE_TOP = 2 /* the middle of the upper side */
};

typedef struct octet_zone {
  uint32_t size OCTET_SIZE(octet_zone);
  uint32_t point_count; /* 2: a line from the first point to the second. 3 or more: a polygon.
                         * Its edges may cross: a point is inside by the even-odd rule */
  const octet_zone_point* points;
  octet_zone_anchor anchor;
  uint32_t frames, window; /* 1 to 32; frames <= window */
  uint32_t band;           /* 65536 is the height of the track's box; at most that */
  uint32_t update_ms;      /* time between two OCTET_ZONE_INSIDE of a track; 0: none */
} octet_zone;

typedef struct octet_zones_config {
  uint32_t size OCTET_SIZE(octet_zones_config);
  uint32_t zone_count; /* 1 to OCTET_ZONES_MOST */
  const octet_zone* zones;
  uint32_t label_count; /* counted apart: 1 to 1024; higher labels count as the last one */
  uint32_t capacity;    /* that of the tracks */
} octet_zones_config;

typedef uint32_t octet_zone_event_kind;
enum {
  OCTET_ZONE_ENTERED = 1,
  OCTET_ZONE_INSIDE = 2, /* each update_ms */
  OCTET_ZONE_LEFT = 3,   /* also when the track ends inside */
  OCTET_ZONE_IN = 4,     /* crossed a line from its left to its right, seen from its first point */
  OCTET_ZONE_OUT = 5     /* from its right to its left */
};

typedef struct octet_zone_event {
  octet_zone_event_kind kind;
  uint32_t zone;     /* index */
  uint64_t track;    /* id */
  uint32_t label;    /* of the track */
  uint32_t ended;    /* 1: the track has ended */
  uint64_t time_us;  /* of the frame; of its last box where the track has ended */
  uint64_t begun_us; /* when it was first inside; of a line: when it was first on this side */
  uint64_t dwell_us; /* from begun_us to its last decision for this side; of a line: 0 */
} octet_zone_event;

/* Called within octet_zones_frame. It must not call octet_zones_*. */
typedef void (*octet_zone_event_fn)(void* context, const octet_zone_event* event);

typedef struct octet_zones octet_zones; /* lives in the caller's memory */

/* 2 of 3 frames, a band of 1/20, the anchor below, an update each second, no points. */
OCTET_API void octet_zone_defaults(octet_zone* zone);

/* 0: the configuration breaks a rule. */
OCTET_API size_t octet_zones_bytes(const octet_zones_config* config);

/* memory: 8-byte aligned. It may be moved by memcpy. Zones and points are copied.
 * OCTET_INVALID_ARGUMENT: a rule above. OCTET_ARENA_TOO_SMALL, OCTET_MISALIGNED: the memory. */
OCTET_API octet_status octet_zones_init(void* memory, size_t memory_bytes,
                                        const octet_zones_config* config, octet_zones** zones);

/* A frame: its time (if the clock goes back, no time passes), the list of octet_tracks_frame, and
 * the size of the picture in pixels (1 to 65535). Each event is one call of `event`: at most one
 * for each track and zone. event: may be NULL. OCTET_INVALID_ARGUMENT: more tracks than the
 * capacity, ids that do not rise, or the size; then nothing has changed. */
OCTET_API octet_status octet_zones_frame(octet_zones* zones, uint64_t time_us, uint32_t width,
                                         uint32_t height, const octet_track* tracks, uint32_t count,
                                         octet_zone_event_fn event, void* context);

typedef struct octet_zone_counts {
  uint64_t in, out; /* entered and left, or crossings; since octet_zones_init */
  uint64_t inside;  /* tracks in it now, lost ones included; 0: a line */
} octet_zone_counts;
/* label: UINT32_MAX: of all. OCTET_INVALID_ARGUMENT: no such zone or label. */
OCTET_API octet_status octet_zones_counts(const octet_zones* zones, uint32_t zone, uint32_t label,
                                          octet_zone_counts* counts);

/* Forgets all tracks without events, as after the camera was moved. Counts stay. */
OCTET_API void octet_zones_reset(octet_zones* zones);

/* A copy, octet_zones_bytes of the configuration long. OCTET_INVALID_ARGUMENT: another size. */
OCTET_API octet_status octet_zones_get(const octet_zones* zones, void* memory, size_t bytes);
/* OCTET_INVALID_ARGUMENT: another size, or a copy of other zones, labels or capacity.
 * OCTET_CORRUPT: values that no zones have. On an error nothing has changed. */
OCTET_API octet_status octet_zones_set(octet_zones* zones, const void* memory, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* OCTET_ZONES_H_ */
