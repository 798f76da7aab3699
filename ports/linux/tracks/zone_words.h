// Zones and lines as settings write them: `NAME=X,Y X,Y X,Y [anchor=bottom] [frames=2/3]
// [band=0.05] [update=1]`. X and Y are shares of the picture, 0 to 1; a line has two points, a zone
// three or more.
#ifndef OCTET_PORTS_LINUX_TRACKS_ZONE_WORDS_H_
#define OCTET_PORTS_LINUX_TRACKS_ZONE_WORDS_H_

#include <string>
#include <vector>

#include "octet/zones.h"

namespace octet::port {

struct NamedZone {
  std::string name;
  std::vector<octet_zone_point> points;
  octet_zone zone;  // `points` is to be set when it is used
  bool is_line() const { return points.size() == 2; }
};

// Throws InputError that begins with `option`, which is that of lines or of zones.
NamedZone ReadZone(const std::string& words, const std::string& option, bool is_line);
// "X,Y X,Y X,Y ...", three points or more. Throws InputError that begins with `option`.
std::vector<octet_zone_point> ReadPolygon(const std::string& words, const std::string& option);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_TRACKS_ZONE_WORDS_H_
