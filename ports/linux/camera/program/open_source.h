// What --source names, as a source of frames.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_OPEN_SOURCE_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_OPEN_SOURCE_H_

#include <memory>

#include "ports/linux/camera/program/options.h"
#include "ports/linux/capture/source.h"

namespace octet::port {

// camera: its name in a list, where a camera that goes away is awaited; "": there is no list. A
// program that is a source starts with the first call of Next. Throws InputError.
std::unique_ptr<Source> OpenSource(const CameraOptions& options, const std::string& camera = "");

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_OPEN_SOURCE_H_
