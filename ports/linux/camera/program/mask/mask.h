// --mask: polygons that nobody sees. They are painted where a frame leaves its source, so whatever
// comes later has no pixels of them: the model, the page, pictures of --dump, frames that are kept.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_MASK_MASK_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_MASK_MASK_H_

#include <memory>
#include <string>
#include <vector>

#include "octet/mask.h"
#include "ports/linux/camera/program/options.h"
#include "ports/linux/capture/source.h"

namespace octet::port {

using Polygons = std::vector<std::vector<octet_zone_point>>;

// Those of --mask.
const Polygons& MasksOf(const CameraOptions& options);
// As the runtime takes them; they point into `polygons`.
std::vector<octet_polygon> ViewOf(const Polygons& polygons);
// Throws InputError that begins with `option`: there are too many.
Polygons ReadPolygons(const std::vector<std::string>& words, const std::string& option);

// `source` with its frames painted; `source` itself without polygons.
std::unique_ptr<Source> MaskedSource(std::unique_ptr<Source> source, const Polygons& polygons);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_MASK_MASK_H_
