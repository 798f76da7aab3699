// One frame of the tracker: octet/track.h has the method.
#ifndef OCTET_TRACK_FRAME_H_
#define OCTET_TRACK_FRAME_H_

#include "runtime/track/memory.h"

namespace octet {
namespace track {

// Where the track is at the time of the last frame.
Corners PlaceOf(const Track& track, const State& state);

// Steps: selection of boxes at most 19 times box_count; associations as assign.h has it, of at most
// capacity rows and columns; capacity^2 / 4 overlaps of seen with lost tracks.
void Frame(const Parts& parts, uint64_t time_us, const octet_box* boxes, uint32_t box_count);

}  // namespace track
}  // namespace octet

#endif  // OCTET_TRACK_FRAME_H_
