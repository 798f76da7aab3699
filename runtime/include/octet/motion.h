/* Octet motion, C API: whether a frame of a fixed camera has to be inferred, because something in
 * it has moved. It needs no session and no model. It computes in integers: the same calls give the
 * same answers on every machine. It does not allocate, and the memory is the caller's.
 *
 *   octet_motion_bytes -> memory -> octet_motion_init -> { octet_motion_frame }*
 *
 * Brightness is looked at, not colour. Cells of the picture are compared with a slow background.
 * Noise is learned, light that changes everywhere or smoothly is not a change. docs/motion.md has
 * the equations and what was measured. */
#ifndef OCTET_MOTION_H_
#define OCTET_MOTION_H_

#include "octet/mask.h"
#include "octet/octet.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OCTET_MOTION_LEAST 16u   /* pixels: width, height */
#define OCTET_MOTION_MOST 16384u /* pixels: width, height */

typedef struct octet_motion_config {
  uint32_t size OCTET_SIZE(octet_motion_config);
  uint32_t width, height; /* of all frames */
  uint32_t longest_ms;    /* between two frames that are to be inferred; 1 to 3600000 */
  uint32_t polygon_count; /* 0 to OCTET_MOST_POLYGONS */
  uint32_t zero;
  const octet_polygon* polygons; /* what moves in them is no change */
} octet_motion_config;

typedef uint32_t octet_motion_reason;
enum {
  OCTET_MOTION_STILL = 0,   /* not to be inferred */
  OCTET_MOTION_START = 1,   /* first frame, also after octet_motion_reset and a gap of 2 s */
  OCTET_MOTION_CHANGE = 2,  /* a part of the picture has changed */
  OCTET_MOTION_ALL = 3,     /* most of the picture: the camera was moved, or a light was switched */
  OCTET_MOTION_LONGEST = 4, /* longest_ms have passed since the last frame to be inferred */
  OCTET_MOTION_HIDDEN = 5   /* the polygons cover the whole picture: nothing is known */
};

typedef struct octet_motion_answer {
  uint32_t size OCTET_SIZE(octet_motion_answer);
  octet_motion_reason reason; /* all but OCTET_MOTION_STILL: infer this frame */
  uint32_t changed;           /* share of the picture that has changed; 65536 is all of it */
  uint32_t strength;          /* energy of the strongest change; 65536 is the threshold */
  uint32_t noise;             /* standard deviation of a cell's mean; 65536 is a level of 255 */
  int32_t x0, y0, x1, y1;     /* shares: the box around all that has changed; 0: nothing */
} octet_motion_answer;

typedef struct octet_motion octet_motion; /* lives in the caller's memory */

/* 5 s, no polygons. */
OCTET_API void octet_motion_defaults(octet_motion_config* config);

/* 0: the configuration breaks a rule. */
OCTET_API size_t octet_motion_bytes(const octet_motion_config* config);

/* memory: 8-byte aligned. It may be moved by memcpy. Polygons are copied as the cells they touch.
 * OCTET_INVALID_ARGUMENT: a rule above. OCTET_ARENA_TOO_SMALL, OCTET_MISALIGNED: the memory. */
OCTET_API octet_status octet_motion_init(void* memory, size_t memory_bytes,
                                         const octet_motion_config* config, octet_motion** motion);

/* A frame: the time of its capture (if the clock goes back, no time passes). Of each frame, whether
 * it will be inferred or not. OCTET_INVALID_ARGUMENT: another size than the configuration's, its
 * format, its first plane or that plane's stride; then nothing has changed. */
OCTET_API octet_status octet_motion_frame(octet_motion* motion, uint64_t time_us,
                                          const octet_frame* frame, octet_motion_answer* answer);

/* Forgets background and noise, as after the camera was moved. */
OCTET_API void octet_motion_reset(octet_motion* motion);

/* A copy, octet_motion_bytes of the configuration long. OCTET_INVALID_ARGUMENT: another size. */
OCTET_API octet_status octet_motion_get(const octet_motion* motion, void* memory, size_t bytes);
/* OCTET_INVALID_ARGUMENT: another size, or a copy of another configuration. OCTET_CORRUPT: values
 * that no gate has. On an error nothing has changed. */
OCTET_API octet_status octet_motion_set(octet_motion* motion, const void* memory, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* OCTET_MOTION_H_ */
