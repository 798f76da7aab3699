// One track in one zone: octet/zones.h has the rules.
#ifndef OCTET_ZONES_WATCH_H_
#define OCTET_ZONES_WATCH_H_

#include "runtime/zones/memory.h"

namespace octet {
namespace zones {

struct Picture {
  uint32_t width, height;
};

// The event of this observation; kind 0: none. Fields `zone`, `track`, `label` are the caller's.
octet_zone_event Observe(const Zone& zone, const octet_zone_point* points, const Picture& picture,
                         const octet_track& track, uint64_t time_us, Watch* watch);
// The event of a track's end.
octet_zone_event End(const Zone& zone, uint64_t seen_us, const Watch& watch);
// Whether calls of Observe can have left this. seen_us: of the track.
bool IsSound(const Zone& zone, const octet_zone_point* points, uint64_t seen_us,
             const Watch& watch);

}  // namespace zones
}  // namespace octet

#endif  // OCTET_ZONES_WATCH_H_
