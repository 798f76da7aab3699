/* Octet mask, C API: polygons of a frame are painted over, so that nobody sees what is there. It
 * needs no session and no model, it computes in integers, and it does not allocate. */
#ifndef OCTET_MASK_H_
#define OCTET_MASK_H_

#include "octet/octet.h"
#include "octet/zones.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OCTET_MOST_POLYGONS 16u

/* Its edges may cross: a point is inside by the even-odd rule. */
typedef struct octet_polygon {
  const octet_zone_point* points; /* shares of the picture: 65536 is its width, or its height */
  uint32_t point_count;           /* 3 to OCTET_ZONES_MOST_POINTS */
} octet_polygon;

/* Paints every pixel that a polygon touches, in part or whole, in one grey; of YUV frames also
 * every sample of colour that such a pixel has. frame: its planes are written, so they must not lie
 * in constant memory. count: 0 to OCTET_MOST_POLYGONS. OCTET_INVALID_ARGUMENT: a rule of these, or
 * of octet_set_input_frame; then nothing has changed. */
OCTET_API octet_status octet_mask_paint(const octet_frame* frame, const octet_polygon* polygons,
                                        uint32_t count);

#ifdef __cplusplus
}
#endif

#endif /* OCTET_MASK_H_ */
