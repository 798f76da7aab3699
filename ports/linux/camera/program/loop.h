// Frames in, results out: what octet-camera does until it is told to end.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_LOOP_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_LOOP_H_

#include "ports/linux/camera/program/settings.h"

namespace octet::port {

// Exit status. Throws InputError.
int RunCamera(const CameraSettings& settings);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_LOOP_H_
