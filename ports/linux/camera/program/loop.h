// Frames in, results out: what octet-camera does until it is told to end.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_LOOP_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_LOOP_H_

#include <vector>

#include "ports/linux/camera/program/observers.h"
#include "ports/linux/camera/program/settings.h"

namespace octet::port {

// Exit status. Throws InputError.
int RunCamera(const CameraSettings& settings, const std::vector<Feature>& features = Features());

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_LOOP_H_
