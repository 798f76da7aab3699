#include <fcntl.h>
#include <linux/videodev2.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>

#include "ports/linux/camera/program/check/check.h"
#include "ports/linux/camera/program/open_source.h"
#include "ports/linux/camera/program/rtsp.h"
#include "ports/linux/capture/v4l2_buffer.h"
#include "ports/linux/output/again.h"

namespace octet::port {
namespace {

struct CameraNode {
  std::string name;   // of the device
  std::string wrong;  // empty: it can capture
  std::string mend;
  bool captures = false;  // it, or another program from it
};

// Whether another program captures from the camera: then the driver refuses to free buffers. The
// call requests no buffers, so a free camera stays free.
bool IsBusy(int descriptor) {
  v4l2_requestbuffers none{};
  none.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  none.memory = V4L2_MEMORY_MMAP;
  return V4l2Control(descriptor, VIDIOC_REQBUFS, &none) < 0 && errno == EBUSY;
}

// Asks the driver for its name. Takes no frame, so a camera in use is not disturbed.
CameraNode LookAtCamera(const std::string& path) {
  const int descriptor =
      Again([&] { return open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY); });
  if (descriptor < 0) {
    const int error = errno;
    const char* mend = error == EACCES || error == EPERM
                           ? "sudo usermod --append --groups video $USER, then log in again"
                       : error == EBUSY ? "end the program that uses it: fuser -v /dev/video*"
                                        : "ls -l /dev/video*";
    return {"", std::string("cannot be opened: ") + std::strerror(error), mend, false};
  }
  v4l2_capability found{};
  const int status = V4l2Control(descriptor, VIDIOC_QUERYCAP, &found);
  const bool busy = status >= 0 && IsBusy(descriptor);
  close(descriptor);
  if (status < 0) return {"", "is not a camera", "ls -l /dev/video*", false};
  const char* const card = reinterpret_cast<const char*>(found.card);
  CameraNode node;
  node.name.assign(card, strnlen(card, sizeof(found.card)));
  const uint32_t able =
      (found.capabilities & V4L2_CAP_DEVICE_CAPS) != 0 ? found.device_caps : found.capabilities;
  node.captures = (able & V4L2_CAP_VIDEO_CAPTURE) != 0 && (able & V4L2_CAP_STREAMING) != 0;
  if (!node.captures) {
    node.wrong = "cannot capture frames by itself (its driver has no streaming)";
    node.mend = "rpicam-vid or gst-launch-1.0 into --source - (octet-camera --help)";
  } else if (busy) {
    node.wrong = "is in use by another program";
    node.mend = "end the program that uses it: fuser -v " + path;
  }
  return node;
}

// The paths /dev/videoN, sorted by number.
std::vector<std::string> VideoNodes() {
  std::vector<std::pair<int, std::string>> numbered;
  std::error_code error;
  for (std::filesystem::directory_iterator at("/dev", error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    int number = 0;
    if (name.rfind("video", 0) != 0) continue;
    const auto [rest, fault] = std::from_chars(name.data() + 5, name.data() + name.size(), number);
    if (fault == std::errc() && rest == name.data() + name.size()) {
      numbered.emplace_back(number, "/dev/" + name);
    }
  }
  std::sort(numbered.begin(), numbered.end());
  std::vector<std::string> paths;
  paths.reserve(numbered.size());
  for (auto& [number, path] : numbered) paths.push_back(std::move(path));
  return paths;
}

// All cameras. SourceFinding checks the one that is needed.
Finding CamerasFinding(bool wanted) {
  std::string found;
  bool any = false;
  for (const std::string& path : VideoNodes()) {
    const CameraNode node = LookAtCamera(path);
    any = any || node.captures;
    found += (found.empty() ? "" : "; ") + path;
    if (!node.name.empty()) found += " (" + node.name + ")";
    if (!node.wrong.empty()) found += ": " + node.wrong;
  }
  if (found.empty()) found = "none in /dev/video*";
  const bool lacks = wanted && !any;
  return {"cameras", lacks ? FindingState::kLacks : FindingState::kFine, found,
          lacks ? "connect one (USB: sudo modprobe uvcvideo), or use a stream: --source -" : ""};
}

Finding SourceFinding(const CameraOptions& options) {
  const std::string& source = options.source;
  if (source.empty()) return {"source", FindingState::kFine, "no --source given", ""};
  // A check would consume the stream.
  if (source == "-") return {"source", FindingState::kFine, "stdin, which is not read here", ""};
  std::error_code error;
  if (std::filesystem::is_character_file(source, error)) {
    const CameraNode node = LookAtCamera(source);
    const std::string found = source + (node.name.empty() ? "" : " (" + node.name + ")");
    if (node.wrong.empty()) return {"source", FindingState::kFine, found, ""};
    return {"source", FindingState::kFails, found + ": " + node.wrong, node.mend};
  }
  try {
    OpenSource(options);
  } catch (const InputError& wrong) {
    return FailedFinding("source", wrong.what());
  }
  return {"source", FindingState::kFine, WithoutPassword(source), ""};
}

}  // namespace

void CheckSource(const CameraOptions& options, Checked* checked) {
  checked->Add(Checked::kSource, SourceFinding(options));
}

void CheckSources(const CameraOptions& options, Checked* checked) {
  CheckSource(options, checked);
  const bool is_camera = options.source.rfind("/dev/", 0) == 0;
  checked->Add(Checked::kSource, CamerasFinding(options.source.empty() || is_camera));
}

}  // namespace octet::port
