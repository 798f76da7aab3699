// rtsp:// as a source: the command that fetches and decodes it, and its password.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_RTSP_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_RTSP_H_

#include <string>
#include <vector>

#include "ports/linux/camera/program/options.h"
#include "ports/linux/capture/child_source.h"

namespace octet::port {

bool IsRtsp(const std::string& source);

// The command of a source without its own --rtsp-command: ffmpeg, which decodes by the processor,
// or by what the board has for it (boards/*.yaml: video_decoder).
std::string RtspCommand(const CameraOptions& options);

// The board that this machine says it is, by the values of `path`; what its file has as
// video_decoder. "": none.
std::string DecoderOfBoard(const std::string& path = "/proc/device-tree/compatible");

// What runs. {input} in --rtsp-command becomes the options of ffmpeg that name the source, {url}
// its address. With a password ffmpeg reads the address from a descriptor, so that ps does not show
// it. Throws InputError.
ChildCommand RtspChild(const CameraOptions& options);

// The password of an address, as it stands there; "": none.
std::string PasswordIn(const std::string& source);
// A source as it may be shown: without the password in it.
std::string WithoutPassword(const std::string& source);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_RTSP_H_
